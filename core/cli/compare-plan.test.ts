import * as assert from "node:assert/strict";
import { test } from "uvu";
import { comparePlan } from "./compare-plan.ts";

const content = { runner_types: [], packs: [], actions: [], rules: [], webhooks: [] };
const plan = { version: "0.1.0", roles: ["api", "worker"], content };

/** Returns the differences between `plan` and a service that has only these nodes. */
async function compareWith(nodes: readonly object[]) {
	const api = {
		addresses: { apiUrl: "http://127.0.0.1:1" },
		list: async (path: string) => ({ items: path === "/nodes" ? nodes : [], total: undefined, limit: undefined }),
	};
	const comparison = await comparePlan(plan as never, async () => api as never);
	return comparison.compared ? comparison.differences : assert.fail(comparison.reason);
}

test("other roles of the only live node are a difference, whether or not a record of an earlier node is left", async () => {
	const node = { name: "one", state: "ready", version: "0.1.0", roles: ["api"] };
	const difference = { what: "roles", name: "node one", change: "changed", detail: "api to api, worker" };
	assert.deepEqual(await compareWith([node]), [difference]);
	assert.deepEqual(await compareWith([{ ...node, state: "gone" }, node]), [difference]);
	assert.deepEqual(await compareWith([node, { ...node, name: "two" }]), []);
});

test.run();
