import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type Storage, SvcError } from "../../contract/index.ts";
import { createBackend } from "../../testing/backends/backend.test-support.ts";
import { clockOf } from "../../testing/engine/clock-of.test-support.ts";
import { RuleRefHistory } from "./rule-ref-history.ts";

const clock = clockOf(() => Date.now() * 1_000);
const rule = { id: "a".repeat(24), ref: "default.a" };

test("a ref is kept once, also where several nodes do so at once, and costs nothing later", async () => {
	const backend = createBackend();
	const storage = backend.storage.create();
	try {
		let outage = true;
		const parts = {
			clock,
			storage: new Proxy(storage, {
				get(target, name: keyof Storage) {
					if (name !== "count") return typeof target[name] === "function" ? (target[name] as () => unknown).bind(target) : target[name];
					return async () => {
						if (outage) throw new SvcError("SVC_UNAVAILABLE", "the database is away");
						return 0;
					};
				},
			}),
		};
		const [one, other] = [new RuleRefHistory(parts), new RuleRefHistory(parts)];
		await assert.rejects(
			async () => one.keep(rule),
			(error) => isSvcError(error, "SVC_UNAVAILABLE"),
		);
		outage = false;
		await Promise.all([one.keep(rule), other.keep(rule), one.keep(rule)]);
		assert.deepEqual([one.keep(rule), other.keep(rule)], [undefined, undefined]);
		await one.keep({ ...rule, ref: "default.b" });
		const refs = await storage.find("rule_ref", { orderBy: [["rule_ref", "asc"]] });
		assert.deepEqual(
			refs.map(({ rule_id, rule_ref }) => [rule_id, rule_ref]),
			[
				[rule.id, "default.a"],
				[rule.id, "default.b"],
			],
		);
	} finally {
		await backend.release();
	}
});

test.run();
