import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type ServiceUnderTest, withService } from "../testing/http/service.test-support.ts";

type Ask = ServiceUnderTest["ask"];

async function warningOf(ask: Ask, path: string, body?: unknown, method = body === undefined ? "GET" : "POST") {
	const response = await ask(path, body === undefined ? { method } : { method, body: JSON.stringify(body) });
	return { status: response.status, warning: response.headers.get("svc-warning") };
}

test("query parameters and members of bodies that nothing reads are named in a header, and the request is answered", () =>
	withService(async ({ ask }) => {
		assert.deepEqual(await warningOf(ask, "/v1/actions?limit=1&colour=red&size=2"), {
			status: 200,
			warning: 'query parameter "colour" is ignored; query parameter "size" is ignored',
		});
		const created = await warningOf(ask, "/v1/executions?x=1", { action: "default.speak", parameters: { lines: [] }, colour: "red" });
		assert.deepEqual(created, { status: 201, warning: 'query parameter "x" is ignored; member "colour" is ignored' });
		assert.deepEqual(await warningOf(ask, "/v1/actions?limit=1"), { status: 200, warning: null });
		const plain = await warningOf(ask, "/v1/executions", { action: "default.speak", parameters: { lines: [] }, context: { any: 1 } });
		assert.deepEqual(plain, { status: 201, warning: null });
	}));

test("a warning is short and plain, whatever is ignored", () =>
	withService(async ({ ask }) => {
		const names = Array.from({ length: 500 }, (_, index) => `${"ü\n".repeat(200)}${index}=1`);
		const { warning } = await warningOf(
			ask,
			`/v1/actions?${names
				.map((name) => encodeURIComponent(name).replace("%3D1", "=1"))
				.join("&")
				.slice(0, 12_000)}`,
		);
		assert.match(warning ?? "", /^[\x20-\x7e]+$/);
		assert.ok((warning ?? "").length < 10_000, String(warning?.length));
	}));

test("values outside of an enumeration are refused", () =>
	withService(async ({ ask }) => {
		const enumerated: readonly (readonly [path: string, values: string])[] = [
			["/v1/executions?status=", "failed,running"],
			["/v1/ruleenforcements?status=", "failed,succeeded"],
			["/v1/triggerinstances?status=", "pending,processed"],
			["/v1/webhook_deliveries?verdict=", "accepted,refused"],
			["/v1/audit/entries?verb=", "create,sign_in"],
			["/v1/audit/entries?outcome=", "done,refused"],
		];
		for (const [path, values] of enumerated) {
			assert.equal((await warningOf(ask, `${path}foo`)).status, 400, path);
			assert.equal((await warningOf(ask, `${path}${values},foo`)).status, 400, path);
			for (const value of [values, ...values.split(",")]) assert.equal((await warningOf(ask, `${path}${value}`)).status, 200, path + value);
		}
	}));

test("an action with a default that its parameter does not allow is stored with a warning, which quotes no secret", () =>
	withService(async ({ ask }) => {
		const action = (parameters: object) => ({ name: "sized", pack: "default", runner_type: "speak", parameters });
		const size = { type: "integer", default: "many" };
		const created = await warningOf(ask, "/v1/actions", action({ size }));
		assert.equal(created.status, 201);
		assert.match(created.warning ?? "", /^default of parameter "size"/);
		const secret = action({ size: { ...size, secret: true, default: "hidden-value" } });
		assert.doesNotMatch((await warningOf(ask, "/v1/actions/default.sized", secret, "PUT")).warning ?? "", /hidden/);
		assert.match((await warningOf(ask, "/v1/actions/default.sized", action({ size }), "PUT")).warning ?? "", /"size"/);
		const right = action({ size: { ...size, default: 3 }, text: { type: "integer", default: "{{ size }}" } });
		assert.deepEqual(await warningOf(ask, "/v1/actions/default.sized", right, "PUT"), { status: 200, warning: null });
	}));

test("a rule that cannot act as it is meant to is stored with a warning, and shown as broken until that is mended", () =>
	withService(async ({ ask }) => {
		const rule = (action: object) => ({
			name: "on",
			pack: "default",
			trigger: { type: "core.svc.webhook", parameters: { url: "on" } },
			action,
		});
		const read = async (path: string) => (await (await ask(path)).json()) as { problems?: readonly string[] } & object;
		const broken = await warningOf(ask, "/v1/rules", rule({ ref: "default.speek" }));
		assert.deepEqual(broken, { status: 201, warning: 'action.ref: action "default.speek" does not exist' });
		const shown = await read("/v1/rules/default.on");
		assert.deepEqual(shown.problems, ['action.ref: action "default.speek" does not exist']);
		const [listed] = (await read("/v1/rules")) as unknown as readonly (typeof shown)[];
		assert.deepEqual(listed?.problems, shown.problems);
		// A client that sends the record back is told again.
		assert.deepEqual(await warningOf(ask, "/v1/rules/default.on", { ...shown, enabled: true }, "PUT"), {
			status: 200,
			warning: 'action.ref: action "default.speek" does not exist',
		});
		const wrong = rule({ ref: "default.speak", parameters: { lines: ["{{ trigger.body.x | uper }}"], colour: "red" } });
		assert.equal(
			(await warningOf(ask, "/v1/rules/default.on", wrong, "PUT")).warning,
			'action.parameters.colour: action "default.speak" has no parameter "colour"; ' +
				'action.parameters.lines.0: unknown filter "uper"; did you mean "upper"?',
		);
		assert.deepEqual(await warningOf(ask, "/v1/rules/default.on", rule({ ref: "default.speak" }), "PUT"), { status: 200, warning: null });
		assert.equal("problems" in (await read("/v1/rules/default.on")), false);
	}));

test.run();
