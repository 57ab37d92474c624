// test-timeout: 300
import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { test } from "uvu";
import { type Client, createClient } from "../../plugins/_shipped/client.ts";
import { memoryBus } from "../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../plugins/storage-memory/index.ts";
import { inquirer } from "../../plugins-runner/inquirer/index.ts";
import { localCommand } from "../../plugins-runner/local-command/index.ts";
import { createService, defineConfig, type Service } from "../index.ts";
import { toShown, typeSvc } from "../testing/cli/terminal.test-support.ts";
import { until } from "../testing/guarantees/until.test-support.ts";
import { requires } from "../testing/test-requirements.ts";

const onTerminal = requires(test, { package: "node-pty" });
const home = mkdtempSync(join(tmpdir(), "svc-typed-"));
let service: Service;
let client: Client;
const env: Record<string, string> = { HOME: home };

test.before(async () => {
	service = createService(
		defineConfig({
			storage: memoryStorage(),
			event_bus: memoryBus(),
			runners: [localCommand(), inquirer()],
			data_dir: join(home, "data"),
			auth: { enable: false, listen: false },
			api: { port: 0 },
			stream: { port: 0 },
			log: { level: "error" },
		}),
	);
	const { addresses } = await service.start();
	Object.assign(env, { SVC_API_URL: addresses.api, SVC_STREAM_URL: addresses.stream });
	client = createClient({ apiUrl: addresses.api ?? "" });
});

test.after(async () => {
	await service.stop();
	rmSync(home, { recursive: true });
});

/** The whole of what a command has shown on a terminal. */
async function typed(words: readonly string[], options: { readonly env?: Record<string, string>; readonly columns?: number } = {}) {
	const command = typeSvc(words, { ...options, env: { ...env, ...options.env } });
	const exitCode = await command.exitCode;
	return { exitCode, text: command.text().replaceAll("\u001b", "␛"), shown: toShown(command.text()) };
}

const hasColours = (text: string) => /␛\[(?:3\d|1)m/.test(text);

onTerminal.test("a run that says nothing is seen to go on, and leaves no trace of that", async () => {
	const { exitCode, text, shown } = await typed(["run", "core.local", "cmd=sleep 1; printf half; sleep 1; echo ' done'"]);
	assert.equal(exitCode, 0);
	assert.match(text, /⠋\S* execution [0-9a-f]{24} runs 0 s/);
	assert.match(shown, /^execution ([0-9a-f]{24}) requested\nhalf done\nexecution \1 succeeded in [\d.]+ s\n$/);
});

onTerminal.test("a list fits the terminal, with whole ids, short times and coloured states", async () => {
	const { id } = await client.executions.create({ action: "core.local", parameters: { cmd: "false" } });
	await until("the execution fails", 10, async () => (await client.executions.get(id)).status === "failed" || undefined);
	const { text, shown } = await typed(["execution", "list"]);
	assert.match(shown, /^id +action\.ref +context\. +status +start_ +end_\n/);
	assert.match(shown, /\n[0-9a-f]{24} {2}core\.local {2}\S+ +failed +\d+s ago +\d+s ago\n/);
	assert.ok(shown.split("\n").every((line) => line.length <= 80));
	assert.match(text, /␛\[31mfailed␛\[39m/);
	const narrow = await typed(["execution", "list"], { columns: 40 });
	assert.match(narrow.shown, /\n[0-9a-f]{24} {2}\S+/);
	assert.match(narrow.shown, /Hidden columns: .*end_timestamp; use -o wide to show them/);
	const wide = await typed(["execution", "list", "-o", "wide"], { columns: 40 });
	assert.match(wide.shown, /\n[0-9a-f]{24} {2}core\.local +\S+ +failed +\d{4}-\d\d-\d\dT[\d:.]+Z +\d{4}-\d\d-\d\dT[\d:.]+Z\n/);
});

onTerminal.test("NO_COLOR takes the colours away, FORCE_COLOR brings them where nobody looks", async () => {
	const plain = { NO_COLOR: "1" };
	assert.ok(!hasColours((await typed(["execution", "list"], { env: plain })).text));
	assert.ok(!hasColours((await typed(["action", "lst"], { env: plain })).text));
	const piped = async (more: Record<string, string>) => {
		const variables = { PATH: process.env["PATH"], ...env, ...more };
		return (
			await promisify(execFile)(process.execPath, ["dist/plugins/_shipped/main.js", "execution", "get", "last"], { env: variables })
		).stdout.replaceAll("\u001b", "␛");
	};
	assert.ok(!hasColours(await piped({})));
	assert.match(await piped({ FORCE_COLOR: "1" }), /␛\[1mstatus:␛\[22m ␛\[31mfailed␛\[39m/);
	assert.ok(!(await piped({ FORCE_COLOR: "1", NO_COLOR: "1" })).includes("␛[K"));
});

onTerminal.test("an answer is chosen with the arrow keys where there are few, and typed where it is anything", async () => {
	const properties = {
		colour: { type: "string", enum: ["red", "blue"], description: "Which one?", required: true },
		note: { type: "string", description: "Why?" },
		sure: { type: "boolean" },
	};
	const respond = async (use: (command: ReturnType<typeof typeSvc>) => Promise<void>) => {
		const schema = { type: "object", properties };
		const { id } = await client.executions.create({ action: "core.ask", parameters: { schema } });
		await until("the question is asked", 10, async () =>
			(await client.inquiries.list()).items.some((inquiry) => inquiry.id === id) ? true : undefined,
		);
		const command = typeSvc(["inquiry", "respond", id, "-j"], { env });
		try {
			await command.shows("Which one? (colour)");
			await use(command);
		} finally {
			command.end();
		}
		return { exitCode: await command.exitCode, text: command.text() };
	};
	const down = "\u001b[B";
	const answered = await respond(async (command) => {
		command.type(`${down}\r`);
		await command.shows("note (string, optional): ");
		command.type("because\r");
		await command.shows("(no answer)");
		command.type(`${down}\r`);
		await command.exitCode;
	});
	assert.equal(answered.exitCode, 0, answered.text);
	const json = answered.text.slice(answered.text.lastIndexOf('{\r\n    "id"'));
	assert.deepEqual(JSON.parse(json).response, { colour: "blue", note: "because", sure: true });
	const left = await respond(async (command) => {
		command.type("\u0003");
		await command.exitCode;
	});
	assert.equal(left.exitCode, 2, left.text);
	assert.match(left.text, /input ended/);
});

onTerminal.test("a service greets whoever starts it with its addresses, opens the page that is asked for and logs in colours", async () => {
	const directory = join(home, "served");
	const opened = join(directory, "opened");
	mkdirSync(join(directory, "bin"), { recursive: true });
	const at = (name: string) => JSON.stringify(new URL(`../../dist/plugins/${name}/index.js`, import.meta.url).href);
	writeFileSync(
		join(directory, "svc.config.mjs"),
		`import { memoryBus } from ${at("event-bus-memory")};
import { memoryStorage } from ${at("storage-memory")};
export default { storage: memoryStorage(), event_bus: memoryBus(), runners: [], auth: { enable: false } };
`,
	);
	writeFileSync(join(directory, "bin", "xdg-open"), `#!/bin/sh\necho "$1" > '${opened}'\n`, { mode: 0o755 });
	const variables = {
		HOME: home,
		PATH: `${join(directory, "bin")}:${process.env["PATH"]}`,
		SVC_API_PORT: "0",
		SVC_AUTH_PORT: "0",
		SVC_STREAM_PORT: "0",
	};
	const serve = async (words: readonly string[], more: Record<string, string> = {}) => {
		const options = { cwd: directory, columns: 100, env: { ...variables, ...more } };
		const command = typeSvc(["serve", "--config", "svc.config.mjs", ...words], options);
		await command.shows(/\/v1\/stream/);
		await command.shows(/Press Ctrl-C to stop/);
		if (words.length > 0) await until("the page is opened", 10, () => (existsSync(opened) && statSync(opened).size > 0) || undefined);
		command.type("\u0003");
		assert.equal(await command.exitCode, 0, command.text());
		return { text: command.text().replaceAll("\u001b", "␛"), shown: toShown(command.text()) };
	};
	const { text, shown } = await serve(["--open"]);
	const [, address] = /╭─+ svc \d\S* ─+╮\n│ +│\n│ {2}API {13}(http:\/\/\S+)\/v1 +│\n/.exec(shown) ?? [];
	assert.ok(address !== undefined, shown);
	assert.match(shown, /│ {2}API reference {3}http:\S+\/v1\/docs +│\n│ +│\n│ {2}Press Ctrl-C to stop\. +│\n│ +│\n╰─+╯/);
	assert.match(text, /␛\[36mhttp:\/\/\S+\/v1␛\[39m/);
	assert.match(text, /␛\[3[23]m(?:info|warn) *␛\[39m/);
	assert.equal(readFileSync(opened, "utf8"), `${address}/v1/docs\n`);
	assert.ok(!hasColours((await serve([], { NO_COLOR: "1" })).text));
});

test.run();
