/** Words that often stand for each other, but not always: the word before the colon finds those after it. */
export const relatedWords = `
undo: reset restore revert rollback; last: recent newest previous; newest: recent last; current: now; show: list
describe; see: list show; check: get test status verify; open: create read launch; write: create add append edit post
insert; save: write create store upload put; store: write put save create; keep: save store; load: read import open;
put: upload write add set; upload: put push send; push: upload send; close: update resolve complete stop; finish:
complete done resolve; done: complete transition finish; complete: done finish close; mark: set update change
transition; set: update change put; assign: update set; turn: toggle; toggle: update switch turn; enable: turn start
activate; disable: turn stop deactivate pause; off: stop deactivate; on: start; block: ban deny freeze firewall; ban:
block kick; kill: terminate stop end; shut: stop down; empty: clear purge delete; clear: purge delete empty reset;
clean: prune clear; free: prune available busy; old: unused previous; inspect: describe get; look: find get search;
who: user person owner author; when: time date schedule; where: location track place; why: explain cause analyze;
owner: whois author; own: owner; wrote: author blame; changed: blame modified diff; text: sms message; call: request
invoke; ring: call; contact: person customer; friend: contact person; boss: manager; client: contact; mail: message
inbox; inbox: mail email; unread: inbox; attachment: file; calendar: event appointment; appointment: calendar;
meeting: calendar zoom call; invite: attendee guest; invitation: event respond invite; availability: free freebusy;
busy: freebusy; free: freebusy available; everybody: attendee team; remember: memory remind store; fact: observation
memory knowledge; ticket: support task; sprint: board cycle; kanban: board; card: task; doc: document; wiki:
confluence page; article: page; pdf: document; slide: presentation; chart: graph plot diagram; graph: chart plot;
column: field schema describe; row: record; record: row item; document: record page; schema: describe column; slow:
performance explain; fast: performance; performance: explain health; average: mean statistics describe; sum: total
aggregate; sql: query statement database; backup: dump snapshot export; dump: export backup; export: download dump;
import: load upload; cache: redis edge; queue: message topic; topic: channel queue; machine: instance compute; server:
host instance machine; virtual: vm instance; disk: volume space storage usage; space: disk usage; memory: ram; cpu:
top stats; log: output trace event; metric: chart series; alert: incident monitor; oncall: schedule pager; down:
outage uptime reachable status; website: uptime url; reachable: ping uptime; certificate: expiry; firewall: port
security; port: scan firewall; domain: dns whois; dns: record domain; credential: secret key login; password: login;
login: password signin; leave: deactivate absence; vulnerability: cve scan security; hole: vulnerability; leak:
secret; secret: credential; infrastructure: terraform resource; preview: plan dry; deployment: rollout release;
replica: scale; yaml: manifest; manifest: apply; build: compile; ci: pipeline workflow build job; pipeline: workflow
job; workflow: action pipeline run; flag: feature; design: figma layer; icon: asset image; usage: reference use;
variable: symbol; everywhere: workspace all; function: lambda; lambda: function; newer: outdated update; outdated:
newer version; endpoint: http request api; rest: http api request; api: http endpoint; web: internet browser page;
google: search web; internet: web; browse: navigate open; scrape: crawl extract; crawl: scrape; button: click element;
form: field input; headline: news; invoice: payment; bill: charge; overdue: aged unpaid receivable; unpaid: aged
overdue; debt: owe receivable; profit: revenue income; tax: accounting; balance: account; salary: payroll; currency:
exchange; dollar: currency; euro: currency; exchange: convert currency; stock: quote market inventory; share:
permission link access; access: permission share; permission: access share policy; role: permission policy; ship:
fulfill delivery; deliver: ship; parcel: track shipping; package: parcel track shipping; lead: contact deal;
opportunity: deal lead; deal: opportunity; sale: deal order; newsletter: campaign mailing; advert: campaign ad; ad:
campaign; visitor: traffic analytics; popular: top most; tweet: post social; post: message publish; react: emoji
reaction; thumb: reaction emoji; emoji: reaction; like: reaction; song: playback spotify; play: playback; next: skip;
skip: next playback; volume: loud; light: lamp brightness; lamp: light; heat: temperature climate; heating:
temperature climate; rain: forecast weather; sun: weather forecast; temperature: weather climate; tomorrow: date day;
today: date day; way: directions route; drive: directions route; near: nearby local; nearby: place local; restaurant:
place table; coffee: place restaurant; flight: plane ticket; plane: flight; hotel: room; late: delay; delay: status
late; cook: recipe meal; eat: meal food; food: recipe meal; calorie: nutrition; train: workout; sport: workout; walk:
step; pulse: heart; spelling: grammar; mistake: grammar error; proofread: grammar; correct: grammar fix; key:
important main; point: summary main; small: resize compress; smaller: resize compress; bigger: resize; shrink: resize
compress; compress: small; cut: trim crop split; trim: cut; split: cut; draw: create image generate; generate: create
make; recording: audio; sound: audio; audio: speech; scan: ocr; searchable: ocr; sign: signature; signature: sign
signer; contract: envelope document; time: clock timezone; hour: time worklog timesheet; timezone: time; mile: unit
kilometer; km: unit kilometer; unit: convert; math: calculate; sha: hash digest; hash: digest; checksum: hash; md5:
hash; random: generate; fake: made test anonymize; mock: fake; vector: similar embedding nearest; embedding: vector;
similar: related nearest; receipt: expense; expense: receipt; vacation: absence off away responder; office: away
vacation; absent: absence out; away: vacation; birthday: contact; print: printer paper; notify: notification`;
