// What a merchant's server does with the SDK: list the banks, start a payment, ask how it stands. Prints one JSON.
const [keys, payment] = process.argv.slice(2).map((argument) => JSON.parse(argument));

console.log = console.error; // the SDK's own chatter goes aside
const gateway = require("epayco-sdk-node")({ ...keys, lang: "ES", test: true });

(async () => {
  const banks = await gateway.bank.getBanks();
  const created = await gateway.bank.create(payment);
  const found = await gateway.bank.get(created.data?.ticketId);
  const charged = await gateway.charge.get(created.data?.ref_payco);
  process.stdout.write(JSON.stringify({ banks, created, found, charged }));
})();
