/** Ordinary words of tool names and descriptions. */
export const words =
  `weather forecast rain wind tide river map route city street train flight hotel ticket price stock share bank account
invoice payment order basket product catalog image photo video audio music song voice text note document page table sheet
slide mail message chat thread channel contact calendar event task project issue board commit branch merge review build
deploy server cluster node volume network firewall port domain record certificate key secret token user group role team
company person customer lead deal report chart metric alert log trace query database schema column index search crawl
extract convert translate summarize classify compare rank filter sort split join count measure plan schedule remind track
watch notify sign verify encrypt compress archive backup restore copy move rename delete create update read write list
find open close start stop run test check lint format parse render draw print scan detect recognize predict train
energy water garden recipe food meal health sleep sport game puzzle story book library museum school course lesson`.split(
    /\s+/,
  );

/** A generator with a seed: the same choices in every run. */
export function pickerOf(seed) {
  let state = seed;
  return (list) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return list[Math.floor((state / 2 ** 32) * list.length)];
  };
}
