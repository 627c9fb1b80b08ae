import { expect, test } from 'vitest';
import { axisMarks } from './chart-scale.js';

test.each([
  [0, 4, [0, 1]],
  [1, 4, [0, 1]],
  [3, 4, [0, 1, 2, 3]],
  [7, 4, [0, 2, 4, 6, 8]],
  [100, 4, [0, 50, 100]],
  [1234, 4, [0, 500, 1000, 1500]],
])('an axis to %j has at most %j marks above 0: %j', (max, count, marks) => {
  expect(axisMarks(max, count)).toEqual(marks);
});
