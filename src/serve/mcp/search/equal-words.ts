/** Groups of words that mean the same for a tool, separated by semicolons. */
export const equalWords = `
create add new make insert; delete remove erase destroy drop discard; get fetch retrieve read show view display see;
find search lookup locate query; list enumerate all; send deliver; update change edit modify alter; run execute invoke
trigger; start launch begin boot; stop halt abort shutdown; cancel abort revoke withdraw; move transfer relocate; copy
duplicate clone; undo revert rollback reset; merge combine join concat; convert transform; calculate compute;
summarize summary shorten; resize scale; picture image photo; folder directory; email mail; file document; message msg
dm; chat conversation; meeting appointment event; task todo; issue ticket bug; invoice bill; customer client; user
account member; person people somebody colleague; employee staff worker; repository repo; container docker; pod
kubernetes; kubernetes k8; cluster kubernetes; vm instance server machine droplet; database db; table sheet; password
credential secret; log trace; error exception crash; alert alarm monitor; incident outage; pull merge; pr pullrequest;
website site page; url link; song track music; movie video film clip; film clip; parcel package shipment; order
purchase; discount coupon; refund reimburse; vacation holiday leave; payslip salary wage; weather forecast; price
quote cost; money cash fund; share stock; bucket s3; cost spend usage; phone telephone; sms text; reminder remind;
note memo; page article; key token; version release revision; department team; directions route; trip journey; picture
screenshot snapshot; dependency library; setting config configuration option; variable env environment; schedule plan;
book reserve; buy purchase; answer reply respond response; comment remark; accept approve; reject decline deny;
silence mute; turn switch; function method symbol; test spec; worksheet sheet tab; spreadsheet excel workbook xlsx;
presentation slide deck powerpoint; word docx; survey form questionnaire; subtitle caption; transcribe transcript;
speech voice spoken; translate translation; language lang; paper preprint article; citation cite bibliography
reference; ip address; domain hostname; certificate ssl tls; branch fork; history log; diff difference compare; count
number total; size length; archive zip; extract unzip unpack; upload put; download save; install setup; deploy publish
release; restart reboot; process pid; command shell terminal`;
