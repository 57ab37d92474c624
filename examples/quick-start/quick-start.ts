import { join, resolve } from "node:path";
import { type Addresses, createService, loadConfig } from "svc-automation";
import { createClient } from "svc-automation/client";
import { adminPassword } from "./admin-password.ts";
import { demonstrate } from "./demonstrate.ts";
import { explain } from "./explain.ts";

// Starts the service, runs an action over HTTP, follows its output, and prints the finished execution.
const directory = join(process.env["SVC_DATA_DIR"] ?? "data", "quickstart");
const once = process.argv.includes("--once") || !process.stdin.isTTY || !process.stdout.isTTY;
const say = (text = "") => process.stdout.write(`${text}\n`);

async function main(stopAsked: Promise<void>): Promise<void> {
	const password = adminPassword(directory);
	const env = { SVC_LOG_LEVEL: "warn", ...process.env, SVC_DATA_DIR: resolve(directory) };
	const service = createService(await loadConfig("svc.config.ts"), { env, adminPassword: password });
	const { addresses } = await service.start();
	try {
		const apiUrl = addresses.api ?? "";
		say(`The service runs at ${apiUrl}. Its data is in ${directory}.`);
		const { token } = await createClient({ apiUrl }).signIn({ username: "admin", password });
		say("Signed in as admin over HTTP.");
		await Promise.race([demonstrate(createClient({ apiUrl, token }), say), stopAsked]);
		printNextSteps(apiUrl, addresses, password);
		if (once) return;
		say("\nThe service keeps running. Press Ctrl-C to stop it.");
		await stopAsked;
	} finally {
		await service.stop();
		say("Stopped.");
	}
}

function printNextSteps(apiUrl: string, addresses: Addresses, password: string): void {
	const where = apiUrl === "http://127.0.0.1:9101" ? "" : ` --api-url ${apiUrl}`;
	const { page, ...components } = addresses;
	if (page !== undefined) say(`\nOpen the web page in your browser: ${page}`);
	say(`  user      admin\n  password  ${password}`);
	say("\nAddresses of the service");
	for (const [component, address] of Object.entries(components)) say(`  ${component.padEnd(8)}${address}`);
	say("\nTry these commands in another terminal, in this folder, while the service runs");
	say(`  npx svc${where} login admin`);
	say(`  npx svc${where} run core.local cmd='for i in 3 2 1; do echo $i; sleep 1; done'`);
	say(`  npx svc${where} execution list`);
}

const stopAsked = new Promise<void>((resolve) => {
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
});

main(stopAsked).then(
	// Open resources, such as the input of the terminal, must not keep the process alive.
	() => process.exit(0),
	(error: unknown) => {
		process.stderr.write(`${explain(error, directory)}\n`);
		process.exit(1);
	},
);
