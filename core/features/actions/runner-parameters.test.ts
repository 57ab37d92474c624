import * as assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "uvu";
import { actionChain } from "../../../plugins-runner/action-chain/index.ts";
import { announcement } from "../../../plugins-runner/announcement/index.ts";
import { httpRequest } from "../../../plugins-runner/http-request/index.ts";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import { localCommand } from "../../../plugins-runner/local-command/index.ts";
import { localScript } from "../../../plugins-runner/local-script/index.ts";
import { noop } from "../../../plugins-runner/noop/index.ts";
import { pythonScript } from "../../../plugins-runner/python-script/index.ts";
import { remoteCommand } from "../../../plugins-runner/remote-command/index.ts";
import { remoteScript } from "../../../plugins-runner/remote-script/index.ts";
import { workflow } from "../../../plugins-runner/workflow/index.ts";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";
import { requires } from "../../testing/test-requirements.ts";

const local = "cwd env kwarg_op sudo sudo_password timeout";
const remote = `hosts username password private_key passphrase port bastion_host parallel dir ${local}`;
/** Parameters that packs written for the reference expect of each runner; every other name is an action's own. */
const reference: Readonly<Record<string, string>> = {
	"local-shell-cmd": `cmd ${local}`,
	"local-shell-script": `debug content_version ${local}`,
	"remote-shell-cmd": `cmd ${remote}`,
	"remote-shell-script": remote,
	"python-script": "env timeout log_level debug content_version",
	"http-request":
		"url headers cookies username password allow_redirects http_proxy https_proxy verify_ssl_cert url_hosts_blacklist url_hosts_whitelist",
	noop: "",
	announcement: "experimental route",
	workflow: "notify",
	"action-chain": "display_published skip_notify",
	inquirer: "schema route roles users ttl",
};
const runners = [
	...[localCommand(), localScript(), remoteCommand(), remoteScript(), pythonScript(), httpRequest()],
	...[noop(), announcement(), workflow(), actionChain(), inquirer()],
];
const workers = { runners: Object.keys(reference).filter((name) => !["workflow", "action-chain", "inquirer"].includes(name)) };

/** Names that the service's runners once had for themselves. */
const additions = [
	...["container", "pty", "engine", "worker_labels", "allow_private_addresses", "file_path"],
	...["content_version", "debug", "timeout"],
];
const asPositions = (names: readonly string[]) =>
	`parameters:\n${names.map((name, position) => `  ${name}: {type: string, position: ${position}, required: true}`).join("\n")}\n`;
const asNames = (names: readonly string[]) =>
	`parameters:\n${names.map((name) => `  ${name}: {type: string, default: its-${name}}`).join("\n")}\n`;
/** Those that the runner of the reference does not have. */
const added = (runner: string) => additions.filter((name) => !reference[runner]?.split(" ").includes(name));

const manifest = "ref: site\nname: site\ndescription: A pack.\nversion: 1.0.0\nauthor: somebody\n";
const action = (name: string, runner: string, more: string) => `name: ${name}\nrunner_type: ${runner}\n${more}`;
const files = {
	"site/pack.yaml": manifest,
	"site/actions/script.yaml": action("script", "local-shell-script", `entry_point: script.sh\n${asPositions(added("local-shell-script"))}`),
	"site/actions/script.sh": '#!/bin/sh\necho "$*"\n',
	"site/actions/far.yaml": action("far", "remote-shell-script", `entry_point: script.sh\n${asPositions(added("remote-shell-script"))}`),
	"site/actions/python.yaml": action("python", "python-script", `entry_point: python.py\n${asNames(added("python-script"))}`),
	"site/actions/python.py":
		"from svc.actions import Action\n\nclass Look(Action):\n    def run(self, **parameters):\n        return parameters\n",
	"site/actions/flow.yaml": action("flow", "workflow", `entry_point: flow.yml\n${asNames(added("workflow"))}`),
	"site/actions/flow.yml": `version: 1.0\ninput: [${additions.join(", ")}]\ntasks:\n  t: {action: core.noop}\noutput:\n${additions
		.map((name) => `  - ${name}: <% ctx(${name}) %>`)
		.join("\n")}\n`,
	"site/actions/slow.yaml": action(
		"slow",
		"workflow",
		"entry_point: slow.yml\nparameters:\n  svc_timeout: {default: 1}\n  timeout: {type: integer, default: 900}\n",
	),
	"site/actions/slow.yml": "version: 1.0\ninput: [timeout]\ntasks:\n  t: {action: core.noop, delay: <% ctx(timeout) %>}\n",
	"site/actions/http.yaml": action(
		"http",
		"http-request",
		`parameters:\n  method: {default: GET}\n  allow_private_addresses: {type: boolean, default: false}\n  file_path: {type: string, default: /etc/passwd}\n`,
	),
};

test("no runner claims a parameter beyond those of the reference but under the prefix svc_", async () => {
	await withGuardedService(
		async (service) => {
			const { body } = await service.ask(await service.signIn("root"), "GET", "/v1/runnertypes?limit=100");
			const types = body as unknown as readonly { readonly name: string; readonly runner_parameters: object }[];
			const claimed = new Map(types.map(({ name, runner_parameters }) => [name, Object.keys(runner_parameters)]));
			for (const [name, expected] of Object.entries(reference)) {
				const names = claimed.get(name) ?? assert.fail(`the service has no runner type "${name}"`);
				const own = names.filter((parameter) => !parameter.startsWith("svc_"));
				assert.deepEqual(own.sort(), expected.split(" ").filter(Boolean).sort(), name);
			}
			assert.ok(claimed.get("noop")?.includes("svc_worker_labels"), "what the option workers adds is looked at, too");
		},
		{ runners, workers },
	);
});

requires(test, { command: "python3" }).test(
	"an action has every name for itself that the runner of the reference does not have",
	async () => {
		const server = createServer((request, response) => response.end(request.method)).listen(0, "127.0.0.1");
		await once(server, "listening");
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
		await withGuardedService(
			async (service) => {
				const root = await service.signIn("root");
				const run = async (ref: string, parameters: object = {}) => {
					const id = await service.run(root, ref, parameters);
					const { body } = await service.ask(root, "GET", `/v1/executions/${id}`);
					assert.equal(body["status"], "succeeded", `${ref}: ${JSON.stringify(body["result"])}`);
					return body["result"] as Readonly<Record<string, unknown>>;
				};
				const valuesOf = (runner: string) => Object.fromEntries(added(runner).map((name) => [name, `its-${name}`]));
				const words = added("local-shell-script").map((name) => `its-${name}`);
				assert.equal((await run("site.script", valuesOf("local-shell-script")))["stdout"], words.join(" "));
				assert.deepEqual((await run("site.python"))["result"], valuesOf("python-script"));
				assert.deepEqual((await run("site.flow"))["output"], valuesOf("workflow"));
				assert.equal((await run("site.http", { url }))["body"], "GET");
				const late = await service.ask(root, "GET", `/v1/executions/${await service.run(root, "site.slow", {})}`);
				assert.equal(late.body["status"], "timeout", "svc_timeout counts, and not the action's own timeout");
				assert.equal((await service.ask(root, "GET", "/v1/actions/site.far")).status, 200, "it is registered");
			},
			{ runners, workers, packs: files },
		);
		server.close();
	},
);

test.run();
