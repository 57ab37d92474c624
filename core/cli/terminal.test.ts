import * as assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { test } from "uvu";
import { parse } from "yaml";
import { runSvc } from "../../plugins/_shipped/run-svc.ts";
import { CapturedText } from "../testing/cli/captured-text.test-support.ts";
import { withGuardedService } from "../testing/http/guarded-service.test-support.ts";
import { toTerminalOutput, writeOutput } from "./context.ts";
import { printList, printRecord } from "./print-records.ts";

const hostile = "a\u001b]52;c;cm0=\u0007b\u009b2Jc\u202ed\u2066e\u200ff";
const unseen = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

async function printed(print: (context: Parameters<typeof printRecord>[3]) => Promise<void>): Promise<string> {
	const stdout = new CapturedText();
	await print({ stdout, stderr: new CapturedText(), stdin: Readable.from([]), env: {}, onInterrupt: () => () => {} });
	return stdout.text;
}

test("nothing of a record commands the terminal, in no format", async () => {
	const record = { name: hostile, [hostile]: 1, inner: { text: `${hostile}\nsecond line`, list: [hostile] } };
	for (const options of [{}, { json: true }, { yaml: true }]) {
		for (const text of [
			await printed((context) => printRecord(record, Object.keys(record), options, context)),
			await printed((context) => printList({ items: [record] } as never, ["name", "inner"], options, context)),
		]) {
			assert.doesNotMatch(text, unseen, JSON.stringify(options));
			assert.match(text, /a\\(?:u001b|e)\]52/);
		}
	}
	assert.deepEqual(JSON.parse(await printed((context) => printRecord(record, [], { json: true }, context))), record);
	assert.deepEqual(parse(await printed((context) => printRecord(record, [], { yaml: true }, context))), record);
	assert.equal(
		await printed((context) => printRecord({ name: "plain ✓", text: "no" }, [], { yaml: true }, context)),
		"name: plain ✓\ntext: no\n",
	);
});

test("errors of the service do not either", async () => {
	await withGuardedService(async ({ urls, signIn }) => {
		const stderr = new CapturedText();
		const stdout = new CapturedText();
		const words = ["--api-url", urls.api, "action", "get", `x.${hostile}`, "--token", await signIn("root")];
		assert.notEqual(await runSvc(words, { stdout, stderr, env: { HOME: "/nonexistent" } }), 0);
		assert.match(stderr.text, /error: /);
		assert.doesNotMatch(stderr.text + stdout.text, unseen);
	});
});

test("output reaches a terminal with its colours alone, and files byte for byte", async () => {
	assert.equal(toTerminalOutput("\u001b[1;31mred\u001b[0m 10%\r20%\r\n\tend\n"), "\u001b[1;31mred\u001b[0m 10%\r20%\r\n\tend\n");
	for (const bad of ["\u001b[2J", "\u001b]0;x\u0007", "\u001bP", "\u001b[31", "\u009b31m", "\u202e", "\u001b"]) {
		assert.ok(!toTerminalOutput(`${bad}x`).includes(bad), JSON.stringify(bad));
	}
	const file = new CapturedText();
	await writeOutput(file, hostile);
	assert.equal(file.text, hostile);
	const terminal = Object.assign(new CapturedText(), { isTTY: true });
	await writeOutput(terminal, hostile);
	assert.doesNotMatch(terminal.text, unseen);
});

test("a password is read without being shown, and one on the command line is said to be visible", () =>
	withGuardedService(async ({ urls }) => {
		const home = mkdtempSync(join(tmpdir(), "svc-login-"));
		try {
			const login = async (words: readonly string[], stdin: NodeJS.ReadableStream) => {
				const stdout = new CapturedText();
				const stderr = new CapturedText();
				const env = { HOME: home, SVC_API_URL: urls.api };
				return { exitCode: await runSvc(["login", "ann", ...words], { stdout, stderr, stdin, env }), text: stdout.text + stderr.text };
			};
			const piped = await login([], Readable.from(["ann\n"]));
			assert.equal(piped.exitCode, 0);
			assert.doesNotMatch(piped.text, /warning/);
			const modes: boolean[] = [];
			const terminal = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => void modes.push(raw) });
			terminal.write("ann\r");
			const typed = await login([], terminal);
			assert.equal(typed.exitCode, 0, typed.text);
			assert.match(typed.text, /^Password of ann: \n|Password of ann: \n/);
			assert.deepEqual(modes, [true, false]);
			// Whoever looks at the configuration file could read before what is written into it now.
			mkdirSync(join(home, ".svc"), { recursive: true });
			writeFileSync(join(home, ".svc", "config"), "[cli]\ndebug = false\n");
			chmodSync(join(home, ".svc", "config"), 0o644);
			const given = await login(["-p", "ann", "-w"], Readable.from([]));
			assert.equal(given.exitCode, 0, given.text);
			assert.match(given.text, /warning: --password: the process list shows it to all users of this machine/);
			assert.equal(statSync(join(home, ".svc", "config")).mode & 0o777, 0o600);
		} finally {
			rmSync(home, { recursive: true });
		}
	}));

test.run();
