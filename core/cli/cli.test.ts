import "../testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "uvu";
import { runSvc } from "../../plugins/_shipped/run-svc.ts";
import { memoryBus } from "../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../plugins/storage-memory/index.ts";
import { flatFile } from "../../plugins-auth/flat-file/index.ts";
import { localCommand } from "../../plugins-runner/local-command/index.ts";
import { createService, defineConfig, type Service } from "../index.ts";
import { CapturedText } from "../testing/cli/captured-text.test-support.ts";

const home = mkdtempSync(join(tmpdir(), "svc-cli-"));
let service: Service;
let apiUrl = "";

test.before(async () => {
	service = createService(
		defineConfig({
			storage: memoryStorage(),
			event_bus: memoryBus(),
			runners: [localCommand()],
			data_dir: join(home, "data"),
			auth: { backend: flatFile(), port: 0 },
			api: { port: 0 },
			stream: { port: 0 },
			log: { level: "error" },
		}),
		{ adminPassword: "a b:c" },
	);
	apiUrl = (await service.start()).addresses.api ?? "";
});

test.after(async () => {
	await service.stop();
	rmSync(home, { recursive: true });
});

function start(words: readonly string[], { input = "", env = {} }: { input?: string; env?: Record<string, string> } = {}) {
	const stdout = new CapturedText();
	const stderr = new CapturedText();
	const listeners = new Set<() => void>();
	const stdin = Readable.from([input]);
	const onInterrupt = (listener: () => void) => {
		listeners.add(listener);
		return () => listeners.delete(listener);
	};
	const exitCode = runSvc(words, { stdout, stderr, stdin, env: { HOME: home, SVC_API_URL: apiUrl, ...env }, onInterrupt });
	return { stdout, stderr, exitCode, interrupt: () => [...listeners].forEach((listener) => void listener()), listeners };
}

async function svc(words: readonly string[], options: Parameters<typeof start>[1] = {}) {
	const { stdout, stderr, exitCode } = start(words, options);
	return { exitCode: await exitCode, stdout: stdout.text, stderr: stderr.text };
}

test("without a credential the answer says how to sign in", async () => {
	const { exitCode, stderr } = await svc(["action", "list"]);
	assert.equal(exitCode, 1);
	assert.match(stderr, /^error: a token or an API key is needed\n.*svc login/);
	assert.match((await svc(["whoami"])).stdout, /Not signed in/);
});

test("a wrong password is refused, an empty input asks for one", async () => {
	const wrong = await svc(["login", "admin", "-p", "wrong"]);
	assert.deepEqual([wrong.exitCode, wrong.stdout], [1, ""]);
	assert.match(wrong.stderr, /^error: cannot sign in "admin": the user name or the password is wrong$/m);
	const { exitCode, stderr } = await svc(["login", "admin"]);
	assert.equal(exitCode, 2);
	assert.match(stderr, /^error: password: missing; enter it at the prompt, or send it to standard input\n$/);
});

test("a wrong password in the configuration file is reported with that file", async () => {
	const config = join(home, "wrong-config");
	writeFileSync(config, "[credentials]\nusername = admin\npassword = wrong\n");
	const { exitCode, stderr } = await svc(["action", "list", "--config-file", config]);
	assert.equal(exitCode, 1);
	assert.match(stderr, /^error: cannot sign in "admin": the user name or the password is wrong; .*wrong-config\n$/);
});

test("login reads the password from the input and keeps the token for its owner only", async () => {
	const { exitCode, stdout, stderr } = await svc(["login", "admin"], { input: "a b:c\n" });
	assert.equal(exitCode, 0, stderr);
	assert.match(stdout, /Signed in as admin/);
	assert.equal(statSync(join(home, ".svc", "token-admin")).mode & 0o777, 0o600);
	assert.match((await svc(["whoami"])).stdout, /username: admin/);
});

test("token prints the token that a sign-in has kept, and nothing else", async () => {
	const [last, named] = [await svc(["token"]), await svc(["token", "admin"])];
	assert.match(last.stdout, /^[0-9a-f]{32}\n$/);
	assert.equal(named.stdout, last.stdout);
	assert.equal((JSON.parse(readFileSync(join(home, ".svc", "token-admin"), "utf8")) as { token: string }).token, last.stdout.trim());
	const unknown = await svc(["token", "nobody"]);
	assert.deepEqual([unknown.exitCode, unknown.stdout], [1, ""]);
	assert.match(unknown.stderr, /no valid token is stored.*`svc login nobody`/);
});

test("auth -t prints nothing but the token", async () => {
	assert.match((await svc(["auth", "admin", "-p", "a b:c", "-t"])).stdout, /^[0-9a-f]{32}\n$/);
});

test("run prints stdout to stdout, stderr to stderr and ends with a line about the execution", async () => {
	const { exitCode, stdout, stderr } = await svc(["run", "core.local", "cmd=echo out; echo err >&2"]);
	assert.equal(exitCode, 0, stderr);
	assert.equal(stdout, "out\n");
	assert.match(stderr, /^execution [0-9a-f]{24} requested\nerr\nexecution [0-9a-f]{24} succeeded in [\d.]+ s\n$/);
});

test("run prints output while the action runs", async () => {
	const marker = join(home, "go");
	const { stdout, exitCode } = start(["run", "core.local", `cmd=echo first; until [ -e ${marker} ]; do sleep 0.05; done; echo second`]);
	await stdout.holds("first\n");
	assert.equal(stdout.text, "first\n");
	await svc(["run", "core.local", `cmd=touch ${marker}`]);
	assert.equal(await exitCode, 0);
	assert.equal(stdout.text, "first\nsecond\n");
});

test("run exits with the run's own return code", async () => {
	for (const code of [1, 2, 7, 255]) assert.equal((await svc(["run", "core.local", `cmd=exit ${code}`])).exitCode, code);
});

test("run exits with 1 when the time-out passes", async () => {
	const { exitCode, stderr } = await svc(["run", "core.local", "cmd=sleep 30", "timeout=1"]);
	assert.equal(exitCode, 1);
	assert.match(stderr, /execution [0-9a-f]{24} timeout/);
});

test("words that are no parameters become the command", async () => {
	assert.equal((await svc(["run", "core.local", "--", "printf", "%s-", "a", "b"])).stdout, "a-b-");
});

test("an unknown action is named and exits with 2", async () => {
	for (const words of [
		["run", "core.nope"],
		["action", "get", "core.nope"],
	]) {
		const { exitCode, stderr } = await svc(words);
		assert.equal(exitCode, 2);
		assert.match(stderr, /action "core\.nope" is not found.*svc action list/);
	}
});

test("a parameter that the service refuses is told in its words", async () => {
	const { exitCode, stderr } = await svc(["run", "core.local", "cmd=true", "colour=red"]);
	assert.equal(exitCode, 1);
	assert.match(stderr, /^error: .*colour/);
});

test("run -j prints the final record and nothing else", async () => {
	const { stdout, stderr } = await svc(["run", "core.local", "cmd=echo hello", "-j"]);
	const record = JSON.parse(stdout);
	assert.equal(record.status, "succeeded");
	assert.equal(record.result.stdout, "hello");
	assert.equal(stderr, "");
});

test("run -a prints the id, tail then shows all of the output", async () => {
	const { stdout: id, exitCode } = await svc(["run", "-a", "core.local", "cmd=echo one; sleep 0.2; echo two; echo bad >&2"]);
	assert.equal(exitCode, 0);
	assert.match(id, /^[0-9a-f]{24}\n$/);
	assert.equal((await svc(["execution", "tail", id.trim()])).stdout, "one\ntwo\n");
	const again = await svc(["execution", "tail", id.trim(), "--type", "stderr"]);
	assert.equal(again.stdout, "");
	assert.match(again.stderr, /^bad\nexecution/);
});

test("Ctrl-C cancels the execution", async () => {
	const { stdout, stderr, exitCode, interrupt, listeners } = start(["run", "core.local", "cmd=echo ready; sleep 60"]);
	await stdout.holds("ready");
	interrupt();
	assert.equal(await exitCode, 1);
	assert.match(stderr.text, /canceling execution[\s\S]*execution [0-9a-f]{24} canceled/);
	assert.equal(listeners.size, 0);
});

test("a second Ctrl-C leaves the execution", async () => {
	const { stdout, stderr, exitCode, interrupt } = start(["run", "core.local", "cmd=trap '' TERM; echo ready; sleep 2; sleep 2; sleep 2"]);
	await stdout.holds("ready");
	interrupt();
	await stderr.holds("canceling");
	interrupt();
	assert.equal(await exitCode, 130);
	assert.match(stderr.text, /detached from execution/);
});

test("Ctrl-C while following somebody else's execution leaves it alone", async () => {
	const id = (await svc(["run", "-a", "core.local", "cmd=echo ready; sleep 60"])).stdout.trim();
	const { stdout, exitCode, interrupt } = start(["execution", "tail", id]);
	await stdout.holds("ready");
	interrupt();
	assert.equal(await exitCode, 130);
	assert.equal(JSON.parse((await svc(["execution", "get", id, "-j"])).stdout).status, "running");
	assert.match((await svc(["execution", "cancel", id])).stdout, new RegExp(`execution ${id} canceled`));
	assert.equal((await svc(["execution", "tail", id])).exitCode, 1);
});

test("canceling an execution that has ended prints why that is too late", async () => {
	const id = JSON.parse((await svc(["run", "core.local", "cmd=true", "-j"])).stdout).id;
	const { exitCode, stdout } = await svc(["execution", "cancel", id]);
	assert.equal(exitCode, 0);
	assert.match(stdout, /succeeded/);
	assert.doesNotMatch(stdout, new RegExp(`execution ${id} canceled`));
});

test("canceling an execution again says that it was already canceled", async () => {
	const id = (await svc(["run", "-a", "core.local", "cmd=sleep 60", "--delay", "60000"])).stdout.trim();
	const first = await svc(["execution", "cancel", id]);
	assert.deepEqual([first.exitCode, first.stdout, first.stderr], [0, `execution ${id} canceled\n`, ""]);
	const again = await svc(["execution", "cancel", id]);
	assert.deepEqual([again.exitCode, again.stdout], [0, `execution ${id} canceled\n`]);
	assert.match(again.stderr, new RegExp(`execution "${id}" was already canceled`));
});

test("a reader of the output that leaves ends the command", async () => {
	const { stdout, exitCode, listeners } = start(["run", "core.local", "cmd=echo ready; sleep 3"]);
	await stdout.holds("ready");
	const left = performance.now();
	stdout.destroy(new Error("write EPIPE"));
	assert.equal(await exitCode, 0);
	assert.ok(performance.now() - left < 2_000);
	assert.equal(listeners.size, 0);
});

test("re-run takes the old parameters and lays the given ones over them", async () => {
	const id = (await svc(["run", "-a", "core.local", "cmd=echo $WORD", "env=WORD=first"])).stdout.trim();
	assert.equal((await svc(["execution", "re-run", id])).stdout, "first\n");
	assert.equal((await svc(["execution", "rerun", id, "env=WORD=second"])).stdout, "second\n");
});

test("execution list shows the newest first and says when there are more", async () => {
	await svc(["run", "core.local", "cmd=true"]);
	await svc(["run", "core.local", "cmd=false"]);
	const { stdout, stderr } = await svc(["execution", "list", "-n", "2"]);
	assert.match(stdout, /^id +action\.ref[\s\S]*failed[\s\S]*succeeded/);
	assert.match(stderr, /Showing 2 of \d+ records; use -n to show more/);
	const all = JSON.parse((await svc(["execution", "list", "-j", "--status", "failed"])).stdout);
	assert.ok(all.length >= 1 && all.every((each: { status: string }) => each.status === "failed"));
	assert.match((await svc(["execution", "list", "--user", "nobody"])).stdout, /No matching records/);
	const ids = async (...words: string[]) =>
		(JSON.parse((await svc(["execution", "list", "-j", ...words])).stdout) as { readonly id: string }[]).map(({ id }) => id);
	const listed = await ids("-n", "1000");
	assert.deepEqual(await ids("-n", "-1"), listed);
	assert.deepEqual(await ids("-n", "-1", "-s", "asc", "-a", "id"), listed.toReversed());
	assert.deepEqual(await ids("-n", "1000", "--timestamp-gt", "-1h"), listed);
	assert.ok((await ids("--status", "succeeded,failed")).length > (await ids("--status", "failed")).length);
	assert.deepEqual(await ids("--timestamp-lt", "yesterday"), []);
	assert.equal(JSON.parse((await svc(["execution", "get", "last", "-j"])).stdout).id, listed[0]);
});

test("execution get shows the last one with its result", async () => {
	await svc(["run", "core.local", "cmd=echo shown", "--trace-tag", "ticket-1"]);
	const { stdout } = await svc(["execution", "get", "last"]);
	assert.match(stdout, /action\.ref: core\.local\n[\s\S]*status: succeeded\n[\s\S]*stdout: shown\n/);
	assert.equal((await svc(["execution", "get", "0".repeat(24)])).exitCode, 2);
});

test("last is the first record of a list, newest first", async () => {
	await svc(["run", "core.local", "cmd=echo again", "--trace-tag", "ticket-2"]);
	for (const user of ["ann", "bob"]) await svc(["apikey", "create", "-u", user]);
	for (const group of [["execution"], ["trace"], ["apikey"]]) {
		const listed = JSON.parse((await svc([...group, "list", "-j"])).stdout) as readonly { readonly id: string }[];
		assert.ok(listed.length > 1, group.join(" "));
		assert.equal(JSON.parse((await svc([...group, "get", "last", "-j"])).stdout).id, listed[0]?.id, group.join(" "));
	}
	assert.equal(JSON.parse((await svc(["apikey", "get", "last", "-j"])).stdout).user, "bob");
	assert.equal((await svc(["execution", "re-run", "last"])).stdout, "again\n");
	assert.match((await svc(["execution", "cancel", "last"])).stdout, /succeeded/);
	for (const [group, noun] of [
		["inquiry", "inquiry"],
		["trigger-instance", "trigger instance"],
		["rule-enforcement", "rule enforcement"],
	] as const) {
		assert.deepEqual(await svc([group, "get", "last"]), { exitCode: 2, stdout: "", stderr: `error: last: no ${noun} exists yet\n` });
	}
});

test("actions and runner types are listed", async () => {
	assert.match((await svc(["action", "list", "-p", "core"])).stdout, /core\.local /);
	assert.match((await svc(["action", "get", "core.local"])).stdout, /parameters:\n {4}/);
	assert.match((await svc(["runner", "list"])).stdout, /local-shell-cmd/);
	assert.match((await svc(["runner", "get", "local-shell-cmd", "-y"])).stdout, /runner_parameters:\n/);
});

test("usage errors exit with 2", async () => {
	for (const words of [[], ["nope"], ["run"], ["execution"], ["execution", "list", "--nope"], ["execution", "list", "-n", "x"]]) {
		assert.equal((await svc(words)).exitCode, 2, words.join(" "));
	}
	assert.equal((await svc(["--help"])).exitCode, 0);
});

test("a service that is not there is named by its address with the next step", async () => {
	const { exitCode, stderr } = await svc(["run", "core.local", "cmd=true", "--api-url", "http://127.0.0.1:9"]);
	assert.equal(exitCode, 1);
	assert.match(stderr, /http:\/\/127\.0\.0\.1:9[\s\S]*svc serve/);
});

test("a token and an API key together are refused before anything is sent", async () => {
	assert.equal((await svc(["action", "list", "--token", "a", "--api-key", "b"])).exitCode, 2);
});

test.run();
