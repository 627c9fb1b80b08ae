const [engine, base] = process.argv.slice(2);
const { checkLarge } = await import(engine);
console.log(JSON.stringify(await checkLarge(base)));
