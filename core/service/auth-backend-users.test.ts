// test-timeout: 240
import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { test } from "uvu";
import { runSvc } from "../../plugins/_shipped/run-svc.ts";
import { CapturedText } from "../testing/cli/captured-text.test-support.ts";
import { typeSvc } from "../testing/cli/terminal.test-support.ts";
import { requires } from "../testing/test-requirements.ts";
import { createAuthBackendUsers } from "./auth-backend-users.ts";

const built = (path: string) => fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));
const env = { PATH: process.env["PATH"] ?? "", SVC_LOG_LEVEL: "error" };

interface Users {
	readonly directory: string;
	/** Run the command in this process, for a service with a password file. */
	svc(words: readonly string[], input?: string): Promise<CommandEnd>;
	/** Run the built command, in the directory of the service. */
	process(words: readonly string[], input?: string): Promise<CommandEnd>;
	text(): Promise<string>;
}

interface CommandEnd {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

async function withUsers(use: (users: Users) => Promise<void>, backend = "flatFile()"): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-users-"));
	const config = [
		`import { flatFile } from ${JSON.stringify(built("plugins-auth/flat-file/index.js"))};`,
		`import { ldap } from ${JSON.stringify(built("plugins-auth/ldap/index.js"))};`,
		`import { memoryStorage } from ${JSON.stringify(built("plugins/storage-memory/index.js"))};`,
		`import { memoryBus } from ${JSON.stringify(built("plugins/event-bus-memory/index.js"))};`,
		`void ldap;`,
		`export default { storage: memoryStorage(), event_bus: memoryBus(), runners: [], auth: { backend: ${backend} } };`,
	];
	await writeFile(join(directory, "svc.config.mjs"), config.join("\n"));
	try {
		await use({
			directory,
			text: () => readFile(join(directory, "data", "htpasswd"), "utf8"),
			svc: (words, input = "") => runHere(["user", ...words, "--config", join(directory, "svc.config.mjs")], input),
			process: (words, input = "") =>
				new Promise((resolve, reject) => {
					const child = spawn(process.execPath, [built("plugins/_shipped/main.js"), "user", ...words, "--config", "svc.config.mjs"], {
						cwd: directory,
						env,
					});
					let [stdout, stderr] = ["", ""];
					child.stdout.on("data", (piece: Buffer) => (stdout += piece.toString()));
					child.stderr.on("data", (piece: Buffer) => (stderr += piece.toString()));
					child.on("error", reject).on("close", (code) => resolve({ code, stdout, stderr }));
					child.stdin.on("error", () => {}).end(input);
				}),
		});
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

async function runHere(words: readonly string[], input: string): Promise<CommandEnd> {
	const [stdout, stderr] = [new CapturedText(), new CapturedText()];
	const stdin = Readable.from([Buffer.from(input)]);
	const code = await runSvc(words, { stdout, stderr, stdin, env, onInterrupt: () => () => {}, users: createAuthBackendUsers(env) });
	return { code, stdout: stdout.text, stderr: stderr.text };
}

test("users are added, listed, given another password and removed, without htpasswd", () =>
	withUsers(async ({ directory, process, svc, text }) => {
		assert.deepEqual(await svc(["list", "-j"]), { code: 0, stdout: "[]\n", stderr: "" });
		assert.deepEqual(await process(["create", "ann"], "correct horse\n"), { code: 0, stdout: 'User "ann" created.\n', stderr: "" });
		const first = await text();
		assert.match(first, /^ann:\$2[aby]\$10\$\S{53}\n$/);
		assert.equal((await stat(join(directory, "data", "htpasswd"))).mode & 0o777, 0o600);
		assert.equal((await stat(join(directory, "data"))).mode & 0o777, 0o700);
		assert.equal((await svc(["create", "bob"], "battery staple")).code, 0);
		assert.match((await svc(["list"])).stdout, /\nann\nbob\n/);
		assert.deepEqual(await svc(["update", "ann"], "another\n"), { code: 0, stdout: 'Password of user "ann" changed.\n', stderr: "" });
		assert.notEqual((await text()).split("\n")[0], first.trim());
		assert.equal((await svc(["delete", "ann"])).code, 0);
		assert.match(await text(), /^bob:\S+\n$/);
		assert.deepEqual(await readdir(join(directory, "data")), ["htpasswd"]);
	}));

test("what cannot be is said, and nothing is changed", () =>
	withUsers(async ({ svc, text }) => {
		await svc(["create", "ann"], "correct horse\n");
		const before = await text();
		for (const [words, input, code, message] of [
			[["create", "ann"], "x\n", 1, /"ann" already exists; .*`svc user update ann`/],
			[["update", "bob"], "x\n", 2, /user "bob" does not exist/],
			[["delete", "bob"], "", 2, /user "bob" does not exist/],
			[["create", "bob"], "", 2, /password: missing; enter it at the prompt, or send it to standard input/],
			[["create", "bob"], "\n", 1, /password: empty/],
			[["create", "a:b"], "x\n", 1, /username: a colon/],
			[["create", "SVC"], "x\n", 1, /the name is reserved for the service/],
			[["create", "bob", "-p", "secret"], "", 2, /unknown option '-p'/],
		] as const) {
			const answer = await svc(words, input);
			assert.equal(answer.code, code, `${words.join(" ")}: ${answer.stderr}`);
			assert.match(answer.stderr, message);
		}
		assert.equal(await text(), before);
	}));

test("several at once are all kept", () =>
	withUsers(async ({ process, svc }) => {
		const names = ["ann", "bob"];
		const answers = await Promise.all(names.map((name) => process(["create", name], `word of ${name}\n`)));
		assert.deepEqual(
			answers.map(({ code }) => code),
			[0, 0],
		);
		assert.deepEqual(
			(JSON.parse((await svc(["list", "-j"])).stdout) as { username: string }[]).map(({ username }) => username).sort(),
			names,
		);
	}));

test("a backend that keeps no users says so", () =>
	withUsers(async ({ svc }) => {
		const { code, stderr } = await svc(["list"]);
		assert.notEqual(code, 0);
		assert.match(stderr, /auth\.backend: "none" does not store users/);
	}, '{ kind: "auth-backend", name: "none", create: () => ({ authenticate: async () => undefined }) }'));

const { test: terminalTest } = requires(test, { package: "node-pty" });

terminalTest("on a terminal the password is asked for twice, and shown by neither", () =>
	withUsers(async ({ directory, text }) => {
		for (const [again, shown, code] of [
			["other", /password: the two entries differ; nothing was changed/, 1],
			["s3cret word", /"ann" created/, 0],
		] as const) {
			const typed = typeSvc(["user", "create", "ann", "--config", "svc.config.mjs"], { cwd: directory, env });
			await typed.shows("New password of ann: ");
			typed.type("s3cret word\r");
			await typed.shows("Repeat the password: ");
			typed.type(`${again}\r`);
			await typed.shows(shown);
			assert.equal(await typed.exitCode, code);
			assert.ok(!typed.text().includes("s3cret"));
		}
		assert.match(await text(), /^ann:\$2/);
	}),
);

test.run();
