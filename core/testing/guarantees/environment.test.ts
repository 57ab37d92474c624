// test-timeout: 300
// test-suite: full
import * as assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { createClient, type ExecutionRecord } from "../../../plugins/_shipped/client.ts";
import { openSite, toLogin } from "../../../plugins-runner/_ssh/remote-run.test-support.ts";
import { missing, type Requirement, requires } from "../test-requirements.ts";
import { isFinal } from "./ledger.test-support.ts";
import { type ServiceProcess, startServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";

const canary = "canary-of-the-service";
/** What a person may have in the environment that a service is started from. */
const secrets = { DATABASE_PASSWORD: canary, AWS_SECRET_ACCESS_KEY: canary, NODE_OPTIONS: `--title=${canary}`, SVC_CANARY: canary };
const given = ["PACK_NAME", "EXECUTION_ID", "API_URL", "AUTH_TOKEN", "DEBUG"].map((name) => `SVC_ACTION_${name}`);
const forgeable = [...given, "SVC_API_URL", "SVC_AUTH_TOKEN"];
const known = /^(PATH|HOME|LANG|LANGUAGE|LC_\w+|TZ|USER|LOGNAME|SHELL|TMPDIR|TERM|PYTHONUNBUFFERED|MINE)$/;
/** Set by the shell. */
const shell = /^(PWD|OLDPWD|SHLVL|_)$/;
/** What a host adds is its own affair. */
const host = /^(?!SVC_)|^SVC_ACTION_LIVEACTION_ID$/;
const python = /^(SVC_API_URL|SVC_AUTH_TOKEN)$/;

interface Row {
	readonly runner: string;
	readonly action: string;
	readonly parameters?: Readonly<Record<string, string>>;
	readonly needs?: Requirement;
	/** Member of the result that holds the environment. */
	readonly read: (result: NonNullable<ExecutionRecord["result"]>) => unknown;
	/** Names that are there besides those that all processes get. */
	readonly others: RegExp;
}

const { site, sshd } = await openSite(test);
const login = { ...(toLogin(site, sshd) as Readonly<Record<string, string>>) };
const show = "env | sed 's/./&./g'";
const readOwn: Row["read"] = ({ stdout }) => stdout;
const readHost: Row["read"] = (result) => (result["127.0.0.1"] as Readonly<Record<string, unknown>>)["stdout"];

const rows: readonly Row[] = [
	{ runner: "local-shell-cmd", action: "core.local", parameters: { cmd: show }, read: readOwn, others: shell },
	{ runner: "local-shell-script", action: "shows.local", read: readOwn, others: shell },
	{
		runner: "remote-shell-cmd",
		action: "core.remote",
		parameters: { ...login, cmd: show },
		needs: { command: "sshd" },
		read: readHost,
		others: host,
	},
	{ runner: "remote-shell-script", action: "shows.remote", parameters: login, needs: { command: "sshd" }, read: readHost, others: host },
	...(["cpython", "pyodide"] as const).map((engine) => ({
		runner: `python-script on ${engine}`,
		action: "shows.python",
		parameters: { svc_engine: engine },
		needs: engine === "cpython" ? { command: "python3" } : { package: "pyodide" },
		read: readOwn,
		others: python,
	})),
];

let directory = "";
let service: ServiceProcess | undefined;

test.before(async () => {
	directory = await mkdtemp(join(tmpdir(), "svc-environment-"));
	const packs = join(directory, "packs");
	await writePack(packs);
	service = await startServiceProcess({
		directory,
		packs,
		runners: {
			"local-script": "localScript()",
			"remote-command": "remoteCommand()",
			"remote-script": "remoteScript()",
			"python-script": "pythonScript()",
		},
		environment: { ...secrets, SVC_SSH_RUNNER_KNOWN_HOSTS: site.knownHosts },
	});
});
test.after(async () => {
	await service?.stop();
	await rm(directory, { recursive: true, force: true });
});

/** The output has a full stop behind each character: what is a secret of the run would be masked. */
async function writePack(packs: string): Promise<void> {
	const actions = join(packs, "shows/actions");
	await mkdir(actions, { recursive: true });
	// The author opens what a caller may not set by himself, the variables of the service among it: not even then can a run be forged.
	const env = { type: "object", properties: Object.fromEntries(forgeable.map((variable) => [variable, { type: "string" }])) };
	const action = (name: string, runner: string, file: string, opened: readonly string[] = []) => {
		const parameters = { env, ...Object.fromEntries(opened.map((parameter) => [parameter, {}])) };
		const metadata = { name, runner_type: runner, entry_point: file, enabled: true, parameters };
		return writeFile(join(actions, `${name}.yaml`), JSON.stringify(metadata));
	};
	await Promise.all([
		writeFile(
			join(packs, "shows/pack.yaml"),
			JSON.stringify({ ref: "shows", name: "Shows", description: "Shows its environment.", version: "1.0.0", author: "tests" }),
		),
		writeFile(join(actions, "show.sh"), `#!/bin/sh\n${show}\n`),
		writeFile(
			join(actions, "show.py"),
			"import os\nfrom svc.actions import Action\n\nclass Show(Action):\n    def run(self):\n        for item in os.environ.items():\n            print(''.join(c + '.' for c in '='.join(item)))\n",
		),
		action("local", "local-shell-script", "show.sh"),
		action("remote", "remote-shell-script", "show.sh", ["username", "private_key"]),
		action("python", "python-script", "show.py", ["svc_engine"]),
	]);
}

/** Run it with an `env` that tries to stand in for the service. */
async function run(row: Row): Promise<{ readonly id: string; readonly environment: ReadonlyMap<string, string> }> {
	assert.ok(service !== undefined);
	const { executions } = service.client;
	const forged = forgeable.filter((name) => row.others === python || name.startsWith("SVC_ACTION_"));
	const isOpen = row.action.startsWith("shows.");
	if (!isOpen) {
		const env = { MINE: "mine", [forged[0] ?? ""]: "forged" };
		await assert.rejects(executions.create({ action: row.action, parameters: { ...row.parameters, env } }), /may not set "SVC_ACTION_/);
	}
	const env = { MINE: "mine", ...Object.fromEntries((isOpen ? forged : []).map((name) => [name, "forged"])) };
	const { id } = await executions.create({ action: row.action, parameters: { ...row.parameters, env } });
	const { status, result } = await until("the execution is final", 120, async () => {
		const record = await executions.get(id);
		return isFinal(record) ? record : undefined;
	});
	assert.equal(status, "succeeded", JSON.stringify(result));
	const lines = String(row.read(result ?? {}))
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => line.replace(/(.)\./gu, "$1"));
	return { id, environment: new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])) };
}

for (const row of rows) {
	const { test: wanted } = missing(row.needs ?? {}) === undefined ? { test } : requires(test, row.needs ?? {});
	wanted(`${row.runner}: an action's environment holds what the service gives and nothing of the service's own`, async () => {
		const { id, environment } = await run(row);
		const foreign = [...environment.keys()].filter((name) => !given.includes(name) && !known.test(name) && !row.others.test(name));
		assert.deepEqual(foreign, []);
		assert.doesNotMatch(JSON.stringify([...environment]), new RegExp(`${canary}|forged`));
		assert.equal(environment.get("MINE"), "mine");
		assert.equal(environment.get("SVC_ACTION_EXECUTION_ID"), id);
		assert.equal(environment.get("SVC_ACTION_PACK_NAME"), row.action.split(".")[0]);
		assert.equal(environment.get("SVC_ACTION_API_URL"), `${service?.api}/v1`);
		assert.equal(environment.get("SVC_ACTION_DEBUG"), "False");
		const token = environment.get("SVC_ACTION_AUTH_TOKEN") ?? "";
		assert.match(token, /^\S{20,}$/);
		if (row.others === python) {
			assert.equal(environment.get("SVC_API_URL"), environment.get("SVC_ACTION_API_URL"));
			assert.equal(environment.get("SVC_AUTH_TOKEN"), token);
		}
		const own = createClient({ apiUrl: environment.get("SVC_ACTION_API_URL") ?? "", token });
		await assert.rejects(own.executions.get(id), /Unauthorized/, "the token outlives the run");
	});
}

test.run();
