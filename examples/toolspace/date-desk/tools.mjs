// Calendar arithmetic that language models get wrong. Days are UTC days, so no time zone shifts them.

export class CalendarError extends Error {}

const day = 24 * 60 * 60 * 1000;
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const date = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'A day, such as 2026-03-01.' };
const holidays = {
  type: 'array',
  items: date,
  maxItems: 1000,
  default: [],
  description: 'Days off.',
};

const pure = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

export const tools = [
  {
    name: 'add_days',
    description:
      'Add days, weeks, months and years to a date. The 31st of a shorter month becomes its last day.',
    inputSchema: objectOf({ date, days: count(), weeks: count(), months: count(), years: count() }, ['date']),
    annotations: pure,
  },
  {
    name: 'business_days_between',
    description:
      'Count the days from Monday to Friday after one date up to and including another, less holidays.',
    inputSchema: objectOf({ from: date, to: date, holidays }, ['from', 'to']),
    annotations: pure,
  },
  {
    name: 'add_business_days',
    description: 'The date that is a number of working days after (or, negative, before) another.',
    inputSchema: objectOf({ date, days: { type: 'integer', minimum: -10000, maximum: 10000 }, holidays }, [
      'date',
      'days',
    ]),
    annotations: pure,
  },
  {
    name: 'describe_day',
    description: 'Weekday, ISO week, day of the year and quarter of a date.',
    inputSchema: objectOf({ date }, ['date']),
    annotations: pure,
  },
  {
    name: 'convert_time',
    description: 'Convert a local time to other time zones, including daylight saving time.',
    inputSchema: objectOf(
      {
        time: { type: 'string', description: 'Local time, such as 2026-03-29T09:30.' },
        from: { type: 'string', description: 'IANA time zone of the local time, such as Europe/Berlin.' },
        to: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 20 },
      },
      ['time', 'from', 'to'],
    ),
    annotations: pure,
  },
];

export const calls = {
  add_days({ date: start, days = 0, weeks = 0, months = 0, years = 0 }) {
    const from = parseDay(start);
    const month = from.getUTCMonth() + integer(months) + 12 * integer(years);
    const last = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate();
    const shifted = Date.UTC(from.getUTCFullYear(), month, Math.min(from.getUTCDate(), last));
    const result = new Date(shifted + (integer(days) + 7 * integer(weeks)) * day);
    return { date: formatDay(result), weekday: weekdays[result.getUTCDay()] };
  },

  business_days_between({ from, to, holidays: dates = [] }) {
    const [start, end] = [parseDay(from), parseDay(to)];
    if (Math.abs(end - start) > 400 * 366 * day)
      throw new CalendarError('the dates are more than 400 years apart');
    const daysOff = new Set(dates.map((it) => formatDay(parseDay(it))));
    const step = end < start ? -1 : 1;
    let days = 0;
    for (let at = start.getTime(); at !== end.getTime(); at += step * day)
      if (isWorkday(new Date(step > 0 ? at + day : at), daysOff)) days += step;
    return { days };
  },

  add_business_days({ date: start, days, holidays: dates = [] }) {
    const daysOff = new Set(dates.map((it) => formatDay(parseDay(it))));
    if (Math.abs(integer(days)) > 10000) throw new CalendarError('at most 10000 days can be added');
    let at = parseDay(start);
    for (let left = Math.abs(days); left > 0; ) {
      at = new Date(at.getTime() + Math.sign(days) * day);
      if (isWorkday(at, daysOff)) left--;
    }
    return { date: formatDay(at), weekday: weekdays[at.getUTCDay()] };
  },

  describe_day({ date: text }) {
    const at = parseDay(text);
    // The Thursday of a week decides which year the week belongs to.
    const thursday = new Date(at.getTime() + (4 - (at.getUTCDay() || 7)) * day);
    const week = Math.ceil(dayOfYear(thursday) / 7);
    return {
      weekday: weekdays[at.getUTCDay()],
      isoWeek: `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`,
      dayOfYear: dayOfYear(at),
      quarter: Math.floor(at.getUTCMonth() / 3) + 1,
    };
  },

  convert_time({ time, from, to }) {
    const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})$/.exec(time);
    if (match === null)
      throw new CalendarError(`${JSON.stringify(time)} is not a time such as 2026-03-29T09:30`);
    const local = parseDay(match[1]).getTime() + Number(match[2]) * 3600000 + Number(match[3]) * 60000;
    // The offset depends on the instant and the instant on the offset; the second step gives the exact value.
    let instant = local - offset(local, from);
    instant = local - offset(instant, from);
    return {
      utc: `${new Date(instant).toISOString().slice(0, 16)}Z`,
      times: to.map((zone) => ({
        zone,
        time: new Date(instant + offset(instant, zone)).toISOString().slice(0, 16),
      })),
    };
  },
};

function objectOf(properties, required) {
  return { type: 'object', properties, required, additionalProperties: false };
}

function count() {
  return { type: 'integer', minimum: -100000, maximum: 100000, default: 0 };
}

function integer(value) {
  if (!Number.isInteger(value)) throw new CalendarError(`${JSON.stringify(value)} is not an integer`);
  return value;
}

function parseDay(text) {
  const at = new Date(`${text}T00:00:00Z`);
  // Date.parse turns 2026-02-30 into March, so compare the result with the input.
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(at.getTime()) || formatDay(at) !== text)
    throw new CalendarError(`${JSON.stringify(text)} is not a day such as 2026-03-01`);
  return at;
}

function formatDay(at) {
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() < 0 || at.getUTCFullYear() > 9999)
    throw new CalendarError('the result is outside the years 0 to 9999');
  return at.toISOString().slice(0, 10);
}

function isWorkday(at, daysOff) {
  return at.getUTCDay() % 6 !== 0 && !daysOff.has(formatDay(at));
}

function dayOfYear(at) {
  return Math.round((at - Date.UTC(at.getUTCFullYear(), 0, 1)) / day) + 1;
}

/** Offset of a time zone from UTC at an instant, in milliseconds. */
function offset(instant, zone) {
  let parts;
  try {
    parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(new Date(instant));
  } catch {
    throw new CalendarError(`unknown time zone ${JSON.stringify(zone)}`);
  }
  const part = (type) => Number(parts.find((it) => it.type === type).value);
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return shown - Math.floor(instant / 1000) * 1000;
}
