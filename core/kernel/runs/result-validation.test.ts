import * as assert from "node:assert/strict";
import { test } from "uvu";
import { localCommand } from "../../../plugins-runner/local-command/index.ts";
import { noop } from "../../../plugins-runner/noop/index.ts";
import { pythonScript } from "../../../plugins-runner/python-script/index.ts";
import { workflow } from "../../../plugins-runner/workflow/index.ts";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";
import { requires } from "../../testing/test-requirements.ts";

const manifest = "ref: site\nname: site\ndescription: A pack.\nversion: 1.0.0\nauthor: somebody\n";
const python = "runner_type: python-script\nentry_point: returns.py\nparameters: {value: {}, ok: {type: boolean, default: true}}\n";
const command = "runner_type: local-shell-cmd\nparameters: {cmd: {required: true}}\n";
const schemas: Readonly<Record<string, readonly [base: string, schema: object]>> = {
	members: [python, { token: { type: "string", required: true } }],
	list: [python, { type: "array", items: { type: "integer" } }],
	closed: [python, { type: "object", properties: { id: { type: "integer" } }, additionalProperties: false }],
	secrets: [
		python,
		{
			type: "object",
			properties: {
				id: { type: "integer", required: true },
				token: { type: "string", secret: true },
				pins: { type: "object", secret: true, additionalProperties: { type: "integer" } },
				logins: { type: "array", items: { type: "object", properties: { password: { type: "string", secret: true } } } },
			},
		},
	],
	text: [command, { type: "string", pattern: "^ok" }],
	number: [command, { type: "integer" }],
	json: [command, { type: "object", properties: { id: { type: "integer", required: true } } }],
	streams: [
		command,
		{ stdout: { type: "object" }, stderr: { type: "string", maxLength: 3 }, return_code: { type: "integer", required: true } },
	],
	noop: ["runner_type: noop\n", { answer: { type: "integer", required: true } }],
	noop_fits: ["runner_type: noop\n", { return_code: { type: "integer", required: true } }],
	flow: ["runner_type: workflow\nentry_point: flow.yml\nparameters: {count: {}}\n", { count: { type: "integer", required: true } }],
};
const packs = {
	"site/pack.yaml": manifest,
	"site/actions/returns.py":
		"from svc.actions import Action\n\nclass Returns(Action):\n    def run(self, value=None, ok=True):\n        print(value)\n        return (ok, value)\n",
	"site/actions/flow.yml": "version: 1.0\ninput: [count]\ntasks:\n  t: {action: core.noop}\noutput: [count: <% ctx(count) %>]\n",
	...Object.fromEntries(
		Object.entries(schemas).map(([name, [base, schema]]) => [
			`site/actions/${name}.yaml`,
			`name: ${name}\n${base}output_schema: ${JSON.stringify(schema)}\n`,
		]),
	),
};

type Ended = { readonly status: unknown; readonly result: Readonly<Record<string, unknown>> };
type Run = (action: string, parameters?: object) => Promise<Ended>;

async function withActions(check: (run: Run) => Promise<void>): Promise<void> {
	await withGuardedService(
		async (service) => {
			const token = await service.signIn("root");
			await check(async (action, parameters = {}) => {
				const id = await service.run(token, `site.${action}`, parameters);
				const { body } = await service.ask(token, "GET", `/v1/executions/${id}`);
				return { status: body["status"], result: body["result"] as Ended["result"] };
			});
		},
		{ runners: [localCommand(), pythonScript({ engine: "cpython" }), noop(), workflow()], packs },
	);
}

const { test: pythonTest } = requires(test, { command: "python3" });

pythonTest("a result that the output_schema of the action does not describe fails the execution, and says where they differ", async () => {
	await withActions(async (run) => {
		for (const [action, value, said] of [
			["members", { name: "a" }, /"result" must have required property 'token'/],
			["members", "text", /"result" must be object/],
			["list", [1, "x"], /"result\.1" must be integer/],
			["closed", { id: 1, more: 2 }, /"result" must not have the additional property "more"/],
		] as const) {
			const { status, result } = await run(action, { value });
			assert.equal(status, "failed", action);
			assert.match(String(result["error"]), said);
			assert.deepEqual(result["result"], value, "the result is kept");
		}
		for (const [action, value] of [
			["members", { token: "a", more: 1 }],
			["list", []],
			["closed", { id: 1 }],
			["closed", { id: null }],
		] as const)
			assert.equal((await run(action, { value })).status, "succeeded", action);
		const failed = await run("list", { value: "no list", ok: false });
		assert.equal(failed.result["error"], undefined, "what has failed by itself is not checked");
	});
});

pythonTest("a failure by the output_schema shows nothing of what is secret in the result", async () => {
	await withActions(async (run) => {
		for (const value of [
			{ token: "s3cr3t-1" },
			{ id: 1, token: ["s3cr3t-2"] },
			{ id: 1, pins: { pin: "s3cr3t-4" } },
			{ id: 1, logins: { password: "s3cr3t-5" } },
			{ id: 1, logins: [{ password: "s3cr3t-6" }, "s3cr3t-7"] },
			["s3cr3t-8"],
		]) {
			const { status, result } = await run("secrets", { value });
			assert.equal(status, "failed", JSON.stringify(value));
			assert.match(String(result["error"]), /output_schema/);
			const { stdout: _printed, ...shown } = result;
			assert.ok(!JSON.stringify(shown).includes("s3cr3t"), JSON.stringify(shown));
			assert.ok(!String(result["stdout"]).includes("s3cr3t"), String(result["stdout"]));
		}
		const fits = await run("secrets", { value: { id: 1, token: "s3cr3t-9", logins: [{ password: "s3cr3t-9" }] } });
		assert.equal(fits.status, "succeeded");
		assert.ok(!JSON.stringify(fits.result).includes("s3cr3t"));
	});
});

pythonTest("commands are checked by what they print, other runners by their result", async () => {
	await withActions(async (run) => {
		for (const [action, parameters, status, said] of [
			["text", { cmd: "echo ok" }, "succeeded", undefined],
			["text", { cmd: "echo bad" }, "failed", /"stdout" must match pattern/],
			["number", { cmd: "echo 10" }, "succeeded", undefined],
			["number", { cmd: "echo ten" }, "failed", /"stdout" must be integer/],
			["json", { cmd: `echo '{"id": 1}'` }, "succeeded", undefined],
			["json", { cmd: `echo '{}'` }, "failed", /"stdout" must have required property 'id'/],
			["json", { cmd: `echo '{}'; exit 3` }, "failed", undefined],
			["streams", { cmd: `echo '{}'; echo 10 >&2` }, "succeeded", undefined],
			["streams", { cmd: `echo '{}'; echo 1000 >&2` }, "failed", /"result\.stderr" must NOT have more than 3/],
			["noop_fits", {}, "succeeded", undefined],
			["noop", {}, "failed", /"result" must have required property 'answer'/],
			["flow", { count: 1 }, "succeeded", undefined],
			["flow", { count: "one" }, "failed", /"output\.count" must be integer/],
		] as const) {
			const ended = await run(action, parameters);
			assert.equal(ended.status, status, `${action} ${JSON.stringify(ended)}`);
			if (said === undefined) assert.equal(ended.result["error"], undefined);
			else assert.match(String(ended.result["error"]), said);
			if (said !== undefined && "succeeded" in ended.result)
				assert.deepEqual([ended.result["succeeded"], ended.result["failed"]], [false, true]);
		}
	});
});

test.run();
