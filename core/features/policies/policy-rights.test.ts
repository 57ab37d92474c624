import * as assert from "node:assert/strict";
import { test } from "uvu";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const on = (resource_uid: string, ...permission_types: string[]) => ({ resource_uid, permission_types });

const rbac = {
	roles: [
		{ name: "beta", permission_grants: [on("pack:beta", "policy_all")] },
		{ name: "alpha", permission_grants: [on("pack:alpha", "policy_all")] },
		{ name: "planner", permission_grants: [{ permission_types: ["policy_create"] }] },
	],
	assignments: [
		{ username: "bob", roles: ["beta"] },
		{ username: "both", roles: ["alpha", "beta"] },
		{ username: "pat", roles: ["planner"] },
	],
};

const workers = (name: string, resource_ref: string) => ({
	...{ name, pack: "beta", resource_ref, policy_type: "action.workers" },
	parameters: { labels: ["blue"] },
});
const concurrency = (name: string, resource_ref: string) => ({
	...{ name, pack: "beta", resource_ref, policy_type: "action.concurrency" },
	parameters: { threshold: 1 },
});

test("who may write policies of one pack writes none about another pack or about everything", () =>
	withGuardedService(
		async ({ ask, signIn }) => {
			const bob = await signIn("bob");
			for (const ref of ["*", "alpha.*", "alpha.sweep"]) {
				assert.equal((await ask(bob, "POST", "/v1/policies", workers("own", ref))).status, 403, ref);
			}
			assert.equal((await ask(bob, "POST", "/v1/policies", concurrency("own", "alpha.sweep"))).status, 403);

			// What lies in the pack stays theirs.
			const own = await ask(bob, "POST", "/v1/policies", workers("own", "beta.*"));
			assert.equal(own.status, 201);
			assert.equal((await ask(bob, "POST", "/v1/policies", concurrency("one", "beta.sweep"))).status, 201);
			for (const ref of ["*", "alpha.*"]) {
				assert.equal((await ask(bob, "PUT", "/v1/policies/beta.own", workers("own", ref))).status, 403, ref);
			}
			assert.equal((await ask(bob, "PUT", "/v1/policies/beta.own", { ...own.body, enabled: false })).status, 200);
			assert.equal((await ask(bob, "DELETE", "/v1/policies/beta.own")).status, 204);
		},
		{ rbac },
	));

test("a policy about another pack takes the permission there, also to be switched, changed and removed", () =>
	withGuardedService(
		async ({ ask, signIn }) => {
			const [root, bob, both] = [await signIn("root"), await signIn("bob"), await signIn("both")];
			const made = await ask(both, "POST", "/v1/policies", workers("guard", "alpha.*"));
			assert.equal(made.status, 201);
			assert.equal((await ask(bob, "PUT", "/v1/policies/beta.guard", { ...made.body, enabled: false })).status, 403);
			assert.equal((await ask(bob, "PUT", "/v1/policies/beta.guard", workers("guard", "beta.*"))).status, 403);
			assert.equal((await ask(bob, "DELETE", "/v1/policies/beta.guard")).status, 403);
			assert.equal((await ask(both, "PUT", "/v1/policies/beta.guard", { ...made.body, enabled: false })).status, 200);
			assert.equal((await ask(both, "DELETE", "/v1/policies/beta.guard")).status, 204);

			// The permission that is granted globally is about everything.
			const pat = await signIn("pat");
			assert.equal((await ask(both, "POST", "/v1/policies", workers("all", "*"))).status, 403);
			assert.equal((await ask(pat, "POST", "/v1/policies", workers("all", "*"))).status, 201);
			assert.equal((await ask(both, "DELETE", "/v1/policies/beta.all")).status, 403);
			assert.equal((await ask(root, "DELETE", "/v1/policies/beta.all")).status, 204);
		},
		{ rbac },
	));

test.run();
