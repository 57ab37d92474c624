import * as assert from "node:assert/strict";
import { test } from "uvu";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

type Ask = (method: string, path: string, body?: unknown) => Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;

const retry = {
	name: "again",
	pack: "default",
	resource_ref: "default.speak",
	policy_type: "action.retry",
	parameters: { retry_on: "failure" },
};

function withPolicies(name: string, run: (ask: Ask) => Promise<void>): void {
	test(name, () =>
		withGuardedService(async (service) => {
			const root = await service.signIn("root");
			await run((method, path, body) => service.ask(root, method, `/v1${path}`, body));
		}),
	);
}

const refsOf = (body: unknown) => (body as { readonly ref: string }[]).map(({ ref }) => ref);

withPolicies("the record of a policy has the members of the reference, defaults filled in", async (ask) => {
	const created = await ask("POST", "/policies", retry);
	assert.equal(created.status, 201);
	const { id, ...rest } = created.body;
	assert.match(String(id), /^[0-9a-f]{24}$/);
	assert.deepEqual(rest, {
		uid: "policy:default:again",
		ref: "default.again",
		name: "again",
		pack: "default",
		description: "",
		enabled: true,
		resource_ref: "default.speak",
		policy_type: "action.retry",
		parameters: { retry_on: "failure", max_retry_count: 2 },
		metadata_file: "",
	});
	for (const name of [id, "default.again"]) assert.deepEqual((await ask("GET", `/policies/${String(name)}`)).body, created.body);
});

withPolicies("a record that is sent back with a member changed is taken", async (ask) => {
	const { body } = await ask("POST", "/policies", retry);
	const changed = await ask("PUT", "/policies/default.again", { ...body, enabled: false, parameters: { retry_on: "timeout", delay: 1.5 } });
	assert.equal(changed.status, 200);
	const parameters = { retry_on: "timeout", max_retry_count: 2, delay: 1.5 };
	assert.deepEqual(changed.body, { ...body, enabled: false, parameters });
	assert.equal((await ask("DELETE", "/policies/default.again")).status, 204);
	assert.equal((await ask("GET", "/policies/default.again")).status, 404);
	for (const method of ["PUT", "DELETE"]) assert.equal((await ask(method, "/policies/default.again", retry)).status, 404);
});

withPolicies("what a policy cannot say is refused and named", async (ask) => {
	const limit = { ...retry, policy_type: "action.concurrency" };
	const workers = { ...retry, policy_type: "action.workers", resource_ref: "*", parameters: { labels: ["blue"] } };
	const cases: readonly (readonly [body: object, names: RegExp])[] = [
		[{ ...retry, name: undefined }, /name: is a required property/],
		[{ ...retry, pack: undefined }, /pack: is a required property/],
		[{ ...retry, resource_ref: undefined }, /resource_ref: is a required property/],
		[{ ...retry, policy_type: undefined }, /policy_type: is a required property/],
		[{ ...retry, name: "a b" }, /name/],
		[{ ...retry, pack: "A" }, /pack/],
		[{ ...retry, pack: "core" }, /pack.*core/],
		[{ ...retry, resource_ref: "speak" }, /resource_ref: "speak" must be <pack>\.<action>/],
		[{ ...retry, policy_type: "action.x" }, /policy_type: "action\.x" must be one of action\.concurrency, .*action\.retry/],
		[{ ...retry, colour: "red" }, /colour: is not allowed/],
		[{ ...retry, enabled: "yes" }, /enabled/],
		[{ ...retry, parameters: {} }, /"retry_on" is a required property/],
		[{ ...retry, parameters: { retry_on: "x" } }, /"retry_on" must be one of "failure", "timeout"/],
		[{ ...retry, parameters: { retry_on: "failure", max_retry_count: 6 } }, /"max_retry_count".*5/],
		[{ ...retry, parameters: { retry_on: "failure", max_retry_count: 1.5 } }, /"max_retry_count".*integer/],
		[{ ...retry, parameters: { retry_on: "failure", delay: 121 } }, /"delay".*120/],
		[{ ...retry, parameters: { retry_on: "failure", times: 1 } }, /"times" is unknown/],
		[{ ...retry, policy_type: "action.crash", parameters: { action: "x" } }, /"action" must be one of "abandon", "retry"/],
		[{ ...limit, parameters: { threshold: -1 } }, /"threshold".*0/],
		[{ ...limit, parameters: { threshold: "1" } }, /"threshold".*integer/],
		[{ ...limit, parameters: { threshold: 1, action: "drop" } }, /"action" must be one of "delay", "cancel"/],
		[{ ...limit, policy_type: "action.concurrency.attr", parameters: { threshold: 1 } }, /"attributes" is a required property/],
		[{ ...limit, policy_type: "action.concurrency.attr", parameters: { threshold: 1, attributes: ["a", "a"] } }, /"attributes"/],
		[{ ...retry, resource_ref: "default.*" }, /resource_ref: "default\.\*" must be <pack>\.<action>/],
		[{ ...workers, resource_ref: "speak" }, /resource_ref: "speak" must be <pack>\.<action>, <pack>\.\* or \*/],
		[{ ...workers, parameters: {} }, /parameters: labels or user_labels must contain at least one label/],
		[{ ...workers, parameters: { labels: [], user_labels: { ann: [] } } }, /at least one label/],
		[{ ...workers, parameters: { labels: ["a b"] } }, /"labels.0" must match pattern/],
		[{ ...workers, parameters: { labels: "blue" } }, /"labels".*array/],
		[{ ...workers, parameters: { labels: Array.from({ length: 33 }, (_, index) => `l${index}`) } }, /"labels".*32/],
		[{ ...workers, parameters: { user_labels: { ann: ["a b"] } } }, /"user_labels.ann.0" must match pattern/],
		[{ ...workers, parameters: { user_labels: ["blue"] } }, /"user_labels".*object/],
	];
	await ask("POST", "/policies", retry);
	for (const [body, names] of cases) {
		for (const [method, path] of [
			["POST", "/policies"],
			["PUT", "/policies/default.again"],
		] as const) {
			const answer = await ask(method, path, body);
			assert.equal(answer.status, 400, `${method} ${JSON.stringify(body)}`);
			assert.match(String(answer.body["faultstring"]), names);
		}
	}
});

withPolicies("neither the name nor the pair of action and type may be taken", async (ask) => {
	const first = await ask("POST", "/policies", retry);
	const sameName = await ask("POST", "/policies", { ...retry, resource_ref: "default.other" });
	const samePair = await ask("POST", "/policies", { ...retry, name: "other" });
	assert.deepEqual([sameName.status, samePair.status], [409, 409]);
	for (const { body } of [sameName, samePair]) assert.equal(body["conflict-id"], first.body["id"]);
	assert.match(String(sameName.body["faultstring"]), /policy "default\.again" exists/);
	assert.match(String(samePair.body["faultstring"]), /action "default\.speak" already has the action\.retry policy "default\.again"/);
	await ask("POST", "/policies", { ...retry, name: "third", policy_type: "action.crash", parameters: {} });
	assert.equal((await ask("PUT", "/policies/default.third", { ...retry, name: "third" })).status, 409);
});

withPolicies("policies are listed by pack and name, filtered, paged and selected", async (ask) => {
	const others = [
		{ ...retry, name: "crash", policy_type: "action.crash", parameters: {} },
		{ ...retry, name: "a", pack: "zoo", resource_ref: "zoo.feed" },
	];
	for (const body of [...others, retry]) assert.equal((await ask("POST", "/policies", body)).status, 201);
	const list = async (query: string) => (await ask("GET", `/policies${query}`)).body;
	assert.deepEqual(refsOf(await list("")), ["default.again", "default.crash", "zoo.a"]);
	assert.deepEqual(refsOf(await list("?pack=zoo")), ["zoo.a"]);
	assert.deepEqual(refsOf(await list("?name=a,crash")), ["default.crash", "zoo.a"]);
	assert.deepEqual(refsOf(await list("?resource_ref=default.speak&policy_type=action.crash")), ["default.crash"]);
	assert.deepEqual(refsOf(await list("?limit=1&offset=1")), ["default.crash"]);
	assert.deepEqual(
		await list("?name=a&include_attributes=parameters.retry_on").then((body) => Object.keys((body as unknown as object[])[0] ?? {}).sort()),
		["id", "parameters", "ref"],
	);
	assert.equal((await ask("GET", "/policies?include_attributes=turn")).status, 400);
});

withPolicies("policies of workers may be about an action, a pack, or everything", async (ask) => {
	const workers = { name: "site", pack: "default", policy_type: "action.workers", parameters: { labels: ["site-a"] } };
	for (const [index, resource_ref] of ["default.speak", "default.*", "*"].entries()) {
		const { status, body } = await ask("POST", "/policies", { ...workers, name: `site_${index}`, resource_ref });
		assert.equal(status, 201, JSON.stringify(body));
		assert.deepEqual([body["resource_ref"], body["parameters"]], [resource_ref, { labels: ["site-a"], user_labels: {} }]);
	}
	assert.deepEqual(refsOf((await ask("GET", "/policies?resource_ref=*")).body), ["default.site_2"]);
});

withPolicies("policy types are described with their parameters", async (ask) => {
	const { body } = await ask("GET", "/policytypes");
	assert.deepEqual(refsOf(body), ["action.concurrency", "action.concurrency.attr", "action.crash", "action.retry", "action.workers"]);
	assert.deepEqual(refsOf((await ask("GET", "/policytypes?sort=-name&limit=2")).body), ["action.workers", "action.retry"]);
	assert.deepEqual(refsOf((await ask("GET", "/policytypes?name=retry,crash&resource_type=action")).body), ["action.crash", "action.retry"]);
	assert.deepEqual((await ask("GET", "/policytypes?resource_type=rule")).body, []);
	const type = (await ask("GET", "/policytypes/action.retry")).body;
	assert.deepEqual((await ask("GET", `/policytypes/${String(type["id"])}`)).body, type);
	assert.equal(type["uid"], "policy_type:action:retry");
	assert.deepEqual(Object.keys(type["parameters"] as object), ["retry_on", "max_retry_count", "delay"]);
	assert.equal((await ask("GET", "/policytypes/action.none")).status, 404);
});

test("a policy that gets another name needs the permission to make one", () =>
	withGuardedService(
		async ({ ask, signIn }) => {
			await ask(await signIn("root"), "POST", "/v1/policies", retry);
			const maria = await signIn("maria");
			assert.equal((await ask(maria, "PUT", "/v1/policies/default.again", { ...retry, description: "mine" })).status, 200);
			assert.equal((await ask(maria, "PUT", "/v1/policies/default.again", { ...retry, name: "other" })).status, 403);
			assert.equal((await ask(maria, "DELETE", "/v1/policies/default.again")).status, 403);
		},
		{
			rbac: {
				roles: [{ name: "keeper", permission_grants: [{ resource_uid: "policy:default:again", permission_types: ["policy_modify"] }] }],
				assignments: [{ username: "maria", roles: ["keeper"] }],
			},
		},
	));

test.run();
