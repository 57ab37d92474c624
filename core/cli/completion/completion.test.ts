import * as assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "uvu";
import { runSvc } from "../../../plugins/_shipped/run-svc.ts";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import { localCommand } from "../../../plugins-runner/local-command/index.ts";
import { createService, defineConfig, type Service } from "../../index.ts";
import { CapturedText } from "../../testing/cli/captured-text.test-support.ts";
import { builtMain, typeCommand } from "../../testing/cli/terminal.test-support.ts";
import { inFull } from "../../testing/extent.test-support.ts";
import { requires } from "../../testing/test-requirements.ts";

const home = mkdtempSync(join(tmpdir(), "svc-completion-"));
const env: Record<string, string> = { HOME: home };
let service: Service;

test.before(async () => {
	service = createService(
		defineConfig({
			storage: memoryStorage(),
			event_bus: memoryBus(),
			runners: [localCommand()],
			data_dir: join(home, "data"),
			auth: { enable: false, listen: false },
			api: { port: 0 },
			stream: { port: 0 },
			log: { level: "error" },
		}),
	);
	const { addresses } = await service.start();
	mkdirSync(join(home, "bin"));
	writeFileSync(join(home, "bin", "svc"), `#!/bin/sh\nexec '${process.execPath}' '${builtMain}' "$@"\n`, { mode: 0o755 });
	Object.assign(env, { SVC_API_URL: addresses.api, PATH: [join(home, "bin"), process.env["PATH"]].join(delimiter) });
});

test.after(async () => {
	await service.stop();
	rmSync(home, { recursive: true });
});

async function complete(...words: readonly string[]): Promise<readonly string[]> {
	const stdout = new CapturedText();
	assert.equal(await runSvc(["complete", "--", ...words], { stdout, stderr: new CapturedText(), env }), 0);
	return stdout.text.split("\n").map((line) => line.split("\t")[0] ?? "");
}

test("commands, options and their values are offered where they may stand", async () => {
	assert.deepEqual(await complete("exec"), ["execution", ""]);
	assert.deepEqual(await complete("execution", "c"), ["cancel", ""]);
	assert.deepEqual(await complete("execution", "list", "-s", ""), ["asc", "desc", ""]);
	assert.deepEqual(await complete("execution", "list", "--output", "y"), ["yaml", ""]);
	assert.deepEqual(await complete("execution", "list", "--timestamp-l"), ["--timestamp-lt", ""]);
	assert.deepEqual(await complete("--api-url", "x", "completion", ""), ["bash", "zsh", "fish", ""]);
	assert.ok((await complete("rule", "list", "--")).includes("--api-url"));
	assert.deepEqual(await complete("run", "--", "--tr"), [""]);
	assert.ok(!(await complete("")).includes("complete"));
});

test("names of records come from the service, and none from one that is not there", async () => {
	assert.deepEqual(await complete("action", "get", "core.local"), ["core.local", "core.local_sudo", ""]);
	assert.deepEqual(await complete("run", "core.local_"), ["core.local_sudo", ""]);
	assert.deepEqual(await complete("run", "core.local", "core.lo"), [""]);
	assert.deepEqual(await complete("rule", "create", ""), [""]);
	const url = env["SVC_API_URL"] ?? "";
	Object.assign(env, { SVC_API_URL: "http://127.0.0.1:9" });
	assert.deepEqual(await complete("run", "core."), [""]);
	Object.assign(env, { SVC_API_URL: url });
});

test("a name that a shell would read as more than a name is not offered", async () => {
	for (const name of ["$(touch gone)", "`id`", "a b", "plain"]) {
		const streams = { stdout: new CapturedText(), stderr: new CapturedText() };
		assert.equal(await runSvc(["key", "set", name, "x"], { ...streams, env }), 0, streams.stderr.text);
	}
	assert.deepEqual(await complete("key", "get", ""), ["plain", ""]);
});

const shells = [
	{ shell: "bash", start: ["--norc", "-i"], load: 'eval "$(svc completion bash)"\r' },
	{ shell: "zsh", start: ["-f", "-i"], load: 'autoload -Uz compinit; compinit -u; eval "$(svc completion zsh)"\r' },
	{ shell: "fish", start: ["--no-config", "-i"], load: "svc completion fish | source\r" },
];

for (const { shell, start, load } of shells) {
	const { test: shellTest } = requires(test, { package: "node-pty", command: shell });
	(shell === "bash" ? shellTest : inFull(shellTest))(`${shell} completes commands, options and names of records`, async () => {
		const terminal = typeCommand(shell, start, { env, columns: 200, cwd: home });
		try {
			terminal.type(`${load}echo loaded-$((1+1))\r`.replace(shell === "fish" ? "$((1+1))" : "\0", "(math 1+1)"));
			await terminal.shows("loaded-2");
			terminal.type("svc runn\tli\t-o js\t\r");
			await terminal.shows('"name": "local-shell-cmd"');
			terminal.type("svc runner get local-shell-c\t\r");
			await terminal.shows(/entry_point|runner_parameters:/);
		} finally {
			terminal.type("exit\r");
			await terminal.exitCode;
		}
	});
}

test.run();
