// test-suite: full
import * as assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import { containerRunner } from "../../../plugins-runner/container/index.ts";
import { kubernetesJob } from "../../../plugins-runner/kubernetes-job/index.ts";
import { localCommand } from "../../../plugins-runner/local-command/index.ts";
import { localScript } from "../../../plugins-runner/local-script/index.ts";
import { pythonScript } from "../../../plugins-runner/python-script/index.ts";
import { remoteScript } from "../../../plugins-runner/remote-script/index.ts";
import { slurm } from "../../../plugins-runner/slurm/index.ts";
import { mergeSchemas } from "../../language/parameters/merge-schemas.ts";
import { type GuardedService, withGuardedService } from "../../testing/http/guarded-service.test-support.ts";
import { requires } from "../../testing/test-requirements.ts";

const { test: processTest } = requires(test, { command: "bash" });
const { test: pythonTest } = requires(test, { command: "python3" });

const script = (name: string, more = "") => `name: ${name}\nrunner_type: local-shell-script\nentry_point: greet.sh\n${more}`;
const manifest = "ref: site\nname: site\ndescription: A pack.\nversion: 1.0.0\nauthor: somebody\n";
const files = {
	"site/pack.yaml": manifest,
	"site/actions/greet.sh": '#!/bin/bash\necho "$GREETING in $PWD: $*"\n',
	"site/actions/greet.yaml": script("greet", "parameters:\n  who: {type: string}\n"),
	"site/actions/opened.yaml": script(
		"opened",
		[
			"parameters:",
			"  cwd: {description: Where it looks.}",
			"  kwarg_op: {}",
			"  env:",
			"    default: {PERL5LIB: /opt/site}",
			"    properties: {BASH_ENV: {type: string}}",
			"",
		].join("\n"),
	),
	"site/actions/closed.yaml": script(
		"closed",
		"parameters:\n  env:\n    properties: {GREETING: {type: string, default: hello}}\n    additionalProperties: false\n",
	),
	"site/actions/fixed.yaml": 'name: fixed\nrunner_type: local-shell-cmd\nparameters: {cmd: {default: "echo $GREETING", immutable: true}}\n',
	"site/actions/free.yaml": "name: free\nrunner_type: local-shell-cmd\n",
	"site/actions/far.yaml": "name: far\nrunner_type: remote-shell-script\nentry_point: greet.sh\n",
	"site/actions/python.yaml": "name: python\nrunner_type: python-script\nentry_point: python.py\n",
	"site/actions/python.py":
		'import os\nfrom svc.actions import Action\n\nclass Look(Action):\n    def run(self):\n        return os.environ["GREETING"]\n',
};
const actions = ["greet", "opened", "closed", "fixed", "free", "far", "python"];
const grants = [...actions.map((name) => `action:site:${name}`), "action:core:echo", "action:core:local"];
const rbac = {
	roles: [{ name: "starter", permission_grants: grants.map((resource_uid) => ({ resource_uid, permission_types: ["action_execute"] })) }],
	assignments: [{ username: "eve", roles: ["starter"] }],
};

const shutIn = {
	...rbac,
	roles: [
		{
			name: "starter",
			permission_grants: ["pack:site"].map((resource_uid) => ({
				resource_uid,
				permission_types: ["action_execute"],
			})),
		},
	],
};

const refusedNames = [
	..."ENV LD_PRELOAD LD_AUDIT PATH HOME PYTHONPATH PYTHONWARNINGS BROWSER NODE_OPTIONS PERL5OPT PERL5LIB RUBYOPT IFS".split(" "),
	..."GIT_SSH_COMMAND BASH_FUNC_echo%% SVC_ACTION_API_URL JAVA_TOOL_OPTIONS ld_preload a-b".split(" "),
];

interface Attacker {
	readonly service: GuardedService;
	readonly packs: string;
	/** Status and message of a request to run, as somebody who may do nothing else. */
	start(action: string, parameters: object): Promise<{ readonly status: number; readonly message: string; readonly id: string }>;
	/** The result of an execution that must end well. */
	run(action: string, parameters: object): Promise<Readonly<Record<string, unknown>>>;
}

async function withAttacker(test: (attacker: Attacker) => Promise<void>, enable = true): Promise<void> {
	const runners = [localCommand(), localScript(), pythonScript({ engine: "cpython" }), remoteScript()];
	const attack = async (service: GuardedService) => {
		const token = await service.signIn("eve");
		const start: Attacker["start"] = async (action, parameters) => {
			const { status, body } = await service.ask(token, "POST", "/v1/executions", { action, parameters });
			return { status, message: String(body["faultstring"]), id: String(body["id"]) };
		};
		const run: Attacker["run"] = async (action, parameters) => {
			const { id, message } = await start(action, parameters);
			assert.equal(message, "undefined", action);
			const root = await service.signIn("root");
			await (await fetch(`${service.urls.stream}/executions/${id}/output`, { headers: { "x-auth-token": root } })).text();
			const { body } = await service.ask(root, "GET", `/v1/executions/${id}`);
			assert.equal(body["status"], "succeeded", JSON.stringify(body["result"]));
			return body["result"] as Readonly<Record<string, unknown>>;
		};
		await test({ service, packs: service.packs, start, run });
	};
	await withGuardedService(attack, { rbac: { ...rbac, enable }, runners, packs: files });
}

processTest("a caller who may not choose the user of a script chooses none in front of a host either", async () => {
	await withAttacker(async ({ start }) => {
		for (const hosts of ["root@h", "h, root@h:22", "h\nroot@h", ["h", "root@h"], "@h"]) {
			const { status, message } = await start("site.far", { hosts });
			assert.equal(status, 400, JSON.stringify(hosts));
			assert.match(message, /"hosts/);
		}
		for (const hosts of ["127.0.0.1:1", "127.0.0.1:1\n[::1]:1", ["127.0.0.1:1"]]) {
			assert.equal((await start("site.far", { hosts })).status, 201, JSON.stringify(hosts));
		}
	});
});

processTest("variables that make a loader or an interpreter run other code are refused by name, whoever sends them", async () => {
	for (const enable of [true, false]) {
		await withAttacker(async ({ start, packs, service }) => {
			const marker = join(packs, "marker");
			const code = join(packs, "code");
			writeFileSync(code, `touch ${marker}\n`);
			const { status, message } = await start("site.greet", { env: { BASH_ENV: code } });
			assert.equal(status, 400);
			assert.match(message, /"env".*"BASH_ENV"/);
			for (const action of ["site.greet", "site.fixed", "site.free", "site.far", "site.python", "core.local"]) {
				const others = action === "core.local" || action === "site.free" ? { cmd: "true" } : action === "site.far" ? { hosts: "h" } : {};
				for (const names of action === "site.greet" ? refusedNames : [refusedNames.join(" ")]) {
					const env = Object.fromEntries(names.split(" ").map((name) => [name, code]));
					const refused = await start(action, { ...others, env: { GREETING: "hi", ...env } });
					assert.equal(refused.status, 400, `${action} ${names}`);
					for (const name of names.split(" ")) assert.ok(refused.message.includes(`"${name}"`), refused.message);
					assert.ok(!refused.message.includes("GREETING"));
				}
				// A template makes the name here, and the text of a function there.
				for (const env of ['{{ {"LD_PRELOAD": "x"} }}', '{"BASH_ENV": "x"}', { GREETING: "() { :; }; touch x" }]) {
					assert.equal((await start(action, { ...others, env })).status, 400, `${action} ${JSON.stringify(env)}`);
				}
			}
			const root = await service.signIn("root");
			const asRoot = await service.ask(root, "POST", "/v1/executions", { action: "site.greet", parameters: { env: { BASH_ENV: code } } });
			assert.equal(asRoot.status, 400);
			assert.ok(!existsSync(marker));
		}, enable);
	}
});

processTest("harmless variables arrive, and those that the action's definition sets or allows", () =>
	withAttacker(async ({ run, start, packs }) => {
		const directory = join(packs, "site");
		assert.equal((await run("site.greet", { who: "you", env: { GREETING: "hi" } }))["stdout"], `hi in ${directory}: --who=you`);
		assert.equal((await run("site.fixed", { env: { GREETING: "hi" } }))["stdout"], "hi");
		assert.equal(
			(await run("core.local", { cmd: "echo $GREETING $https_proxy", env: { GREETING: "hi", https_proxy: "p" } }))["stdout"],
			"hi p",
		);
		const code = join(packs, "code");
		writeFileSync(code, "GREETING=allowed\n");
		const env = { BASH_ENV: code, PERL5LIB: "/opt/site" };
		assert.equal((await run("site.opened", { env }))["stdout"], `allowed in ${directory}: `);
		await run("site.opened", {});
		assert.equal((await start("site.opened", { env: { PERL5LIB: "/tmp" } })).status, 400);
		assert.equal((await run("site.closed", {}))["stdout"], ` in ${directory}: `);
		assert.equal((await run("site.closed", { env: {} }))["stdout"], `hello in ${directory}: `);
		assert.equal((await start("site.closed", { env: { OTHER: "x" } })).status, 400);
	}),
);

pythonTest("a Python action gets harmless variables", () =>
	withAttacker(async ({ run }) => {
		assert.equal((await run("site.python", { env: { GREETING: "hi" } }))["result"], "hi");
	}),
);

processTest("where, as whom and from which code a fixed action runs is not the caller's to say, unless the action says so", () =>
	withAttacker(async ({ start, run, packs }) => {
		const refusals: readonly (readonly [string, object])[] = [
			["site.greet", { cwd: packs }],
			["site.greet", { sudo: true }],
			["site.greet", { sudo_password: "x" }],
			["site.greet", { kwarg_op: "--eval=x " }],
			["site.greet", { content_version: "v0" }],
			["site.fixed", { cwd: packs }],
			["site.fixed", { sudo: true }],
			["site.fixed", { cmd: "id" }],
			["site.python", { svc_engine: "pyodide" }],
			["site.python", { content_version: "v0" }],
			...["username", "password", "private_key", "passphrase", "bastion_host", "cwd", "dir"].map(
				(name) => ["site.far", { hosts: "h", [name]: "root" }] as const,
			),
			["site.far", { hosts: "h", port: 1 }],
			["site.far", { hosts: "h", sudo: true }],
			["core.echo", { message: "m", env: { GREETING: "hi" } }],
			["core.echo", { message: "m", cwd: packs }],
			["core.local", { cmd: "id", sudo: true }],
		];
		for (const [action, parameters] of refusals) {
			const { status, message } = await start(action, parameters);
			assert.equal(status, 400, `${action} ${JSON.stringify(parameters)}`);
			assert.match(message, /immutable parameters cannot be set/);
		}
		assert.equal((await run("site.opened", { cwd: packs, kwarg_op: "-" }))["stdout"], ` in ${packs}: `);
		// Whoever says what runs may say where.
		assert.equal((await run("core.local", { cmd: "pwd", cwd: packs, timeout: 20 }))["stdout"], packs);
		assert.equal((await run("site.free", { cmd: "pwd", cwd: packs, kwarg_op: "-", sudo: false }))["stdout"], packs);
	}),
);

test("how far a run is shut in, and at whose expense it runs, is not its caller's to say, also where the caller says the command", () =>
	withGuardedService(
		async (service) => {
			const token = await service.signIn("eve");
			const reserved = {
				boxed: {
					cmd: "id",
					command: ["id"],
					image: "elsewhere",
					entrypoint: ["sh"],
					user: "0",
					network: "host",
					mounts: [{}],
					capabilities: ["ALL"],
					privileged: true,
					service_token: true,
				},
				bare: { image: "elsewhere", cmd: "id" },
				podded: {
					cmd: "id",
					image: "elsewhere",
					command: ["sh"],
					namespace: "kube-system",
					service_account: "admin",
					image_pull_secrets: ["x"],
				},
			};
			for (const [action, parameters] of Object.entries(reserved)) {
				for (const [name, value] of Object.entries(parameters)) {
					const body = { action: `site.${action}`, parameters: { [name]: value } };
					const answer = await service.ask(token, "POST", "/v1/executions", body);
					assert.equal(answer.status, 400, `${action} ${name}`);
					assert.match(String(answer.body["faultstring"]), new RegExp(`immutable parameters cannot be set.*${name}`));
				}
			}
			const { parameters = {} } = slurm({ directory: "/shared" }).create();
			for (const name of ["cmd", "partition", "account", "qos", "gres"])
				assert.equal(mergeSchemas(parameters, {})[name]?.immutable, true, name);
			// An author who names the command leaves it to the caller, and nothing else with it.
			for (const action of ["open_box", "open_pod"]) {
				const start = (parameters: object) => service.ask(token, "POST", "/v1/executions", { action: `site.${action}`, parameters });
				assert.equal((await start({ cmd: "id" })).status, 201, action);
				const shut = await start({ cmd: "id", image: "elsewhere" });
				assert.deepEqual([shut.status, action], [400, action]);
			}
			assert.notEqual(mergeSchemas(parameters, { cmd: {} })["cmd"]?.immutable, true);
		},
		{
			rbac: { ...shutIn, enable: true },
			runners: [containerRunner({ host: "unix:///nowhere" }), kubernetesJob({ server: "https://127.0.0.1:1" })],
			packs: {
				"site/pack.yaml": manifest,
				"site/actions/boxed.yaml": "name: boxed\nrunner_type: container\nparameters: {image: {default: busybox, immutable: true}}\n",
				"site/actions/bare.yaml": "name: bare\nrunner_type: container\n",
				"site/actions/podded.yaml": "name: podded\nrunner_type: kubernetes-job\nparameters: {image: {default: busybox, immutable: true}}\n",
				"site/actions/open_box.yaml":
					"name: open_box\nrunner_type: container\nparameters: {image: {default: busybox, immutable: true}, cmd: {}}\n",
				"site/actions/open_pod.yaml":
					"name: open_pod\nrunner_type: kubernetes-job\nparameters: {image: {default: busybox, immutable: true}, cmd: {}}\n",
			},
		},
	));

test.run();
