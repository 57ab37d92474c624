import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { test } from "uvu";
import { announcement } from "../../../../plugins-runner/announcement/index.ts";
import { httpRequest } from "../../../../plugins-runner/http-request/index.ts";
import { injectTrigger } from "../../../../plugins-runner/inject-trigger/index.ts";
import { inquirer } from "../../../../plugins-runner/inquirer/index.ts";
import { noop } from "../../../../plugins-runner/noop/index.ts";
import { remoteCommand } from "../../../../plugins-runner/remote-command/index.ts";
import { sendmail } from "../../../../plugins-runner/sendmail/index.ts";
import type { JsonObject, ParameterDefinitions } from "../../../contract/index.ts";
import { checkParameterDefinitions } from "../../../language/parameters/check-definitions.ts";
import { renderFinal, renderLive } from "../../../language/parameters/render.ts";
import { corePack } from "./core-pack.ts";

/** The parameters of the shell runner, as far as the built-in pack touches them. */
const shell: ParameterDefinitions = {
	cmd: { type: "string" },
	env: { type: "object" },
	kwarg_op: { type: "string", default: "--" },
	sudo: { type: "boolean", default: false },
	sudo_password: { type: "string", secret: true },
	timeout: { type: "integer", default: 60 },
};

function prepare(name: string, given: JsonObject): JsonObject {
	const found = corePack.actions.find((candidate) => candidate.name === name);
	assert.ok(found);
	const actionSchema = checkParameterDefinitions(found.parameters, found.runner_type === "noop" ? {} : shell);
	const input = { runnerSchema: shell, actionSchema, context: {} };
	return renderFinal({ ...input, storedParameters: renderLive({ ...input, callerValues: given }) }).runnerParameters;
}

const run = async (name: string, given: JsonObject) => promisify(execFile)("/bin/sh", ["-c", String(prepare(name, given)["cmd"])]);

test("the built-in actions have good definitions", () => {
	const plugins = [httpRequest(), announcement(), inquirer(), injectTrigger(), remoteCommand(), noop(), sendmail()];
	const runners = new Map(plugins.map((plugin) => [plugin.name, plugin.create().parameters as ParameterDefinitions]));
	for (const { parameters, runner_type, ref } of corePack.actions)
		assert.ok(checkParameterDefinitions(parameters, runners.get(runner_type) ?? shell), ref);
	const names = "announcement ask echo error http inject_trigger local local_sudo noop pause remote remote_sudo sendmail uuid";
	assert.deepEqual(corePack.actions.map(({ name }) => name).sort(), names.split(" "));
	assert.equal(corePack.pack?.path, null);
});

test("local and local_sudo differ in sudo, which nobody may change", () => {
	assert.equal(prepare("local", { cmd: "id" })["sudo"], false);
	assert.equal(prepare("local_sudo", { cmd: "id" })["sudo"], true);
	assert.throws(() => prepare("local", { cmd: "id", sudo: true }), /immutable parameters cannot be set: "sudo"/);
	assert.throws(() => prepare("echo", { message: "a", cmd: "id" }), /immutable parameters cannot be set: "cmd"/);
});

const messages = [
	"plain",
	"",
	"-n",
	"-e a\\nb",
	"it's",
	'"double"',
	"$(id) `id` $HOME ${x}",
	"a\nb\n",
	"; rm -rf /tmp/nothing #",
	"%s %d",
	"\\",
	"üñ 😀",
	"'; id; '",
	"{{ '{{' }} n }}",
	"*",
	"~",
	"!x",
	"&& true",
];

test("no message breaks out of echo and error", async () => {
	for (const message of messages) {
		const expected = message.includes("{{") ? "{{ n }}" : message;
		assert.deepEqual(await run("echo", { message }), { stdout: `${expected}\n`, stderr: "" });
		assert.deepEqual(await run("error", { message }), { stdout: "", stderr: `${expected}\n` });
	}
});

test("pause waits at most as long as it was told, and has time to", async () => {
	await run("pause", { max_pause: 0 });
	await run("pause", { max_pause: 0, random: true });
	await run("pause", { max_pause: -5 });
	assert.match(String(prepare("pause", { max_pause: 90, random: true })["cmd"]), /^sleep \$\(\( 0x\$\(od .*\) % 91 \)\)$/);
	assert.deepEqual(prepare("pause", { max_pause: "90" }), { cmd: "sleep 90", kwarg_op: "--", sudo: false, timeout: 150 });
});

test("uuid writes valid and different ids of the version asked for", async () => {
	for (const [uuid_type, version] of [
		["uuid4", "4"],
		["uuid1", "1"],
	] as const) {
		const ids = new Set<string>();
		for (let count = 0; count < 10; count++) ids.add((await run("uuid", { uuid_type })).stdout);
		assert.equal(ids.size, 10);
		for (const id of ids) assert.match(id, new RegExp(`^[0-9a-f]{8}-[0-9a-f]{4}-${version}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\\n$`));
	}
	assert.throws(() => prepare("uuid", { uuid_type: "uuid7" }), /must be one of "uuid4", "uuid1"/);
});

test.run();
