import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { Storage, StoragePlugin } from "../../contract/index.ts";
import { createBackend } from "../../testing/backends/backend.test-support.ts";
import { administrator, withRules } from "./rules.test-support.ts";
import type { RuleInput } from "./rules-exports.ts";

const rule = (name: string): RuleInput => ({
	name,
	trigger: { type: "core.svc.webhook", parameters: { url: "shared" } },
	action: { ref: "default.said" },
	enabled: true,
});

/** What happens around the next removal of a trigger. */
interface Around {
	before(): Promise<unknown>;
	after(storage: Storage): Promise<unknown>;
}

/** A storage at which others do something while a trigger is removed. */
function crowded(plugin: StoragePlugin, next: { around: Around | undefined }): StoragePlugin {
	const create = (storage: Storage): Storage => {
		const remove: Storage["remove"] = async (kind, query) => {
			const { around } = next;
			if (kind !== "trigger" || around === undefined) return storage.remove(kind, query);
			next.around = undefined;
			await around.before();
			const count = await storage.remove(kind, query);
			await around.after(storage);
			return count;
		};
		return new Proxy(storage, {
			get(target, name) {
				const value: unknown = name === "remove" ? remove : Reflect.get(target, name);
				return typeof value === "function" ? value.bind(target) : value;
			},
		});
	};
	return { ...plugin, create: (...given) => create(plugin.create(...given)) };
}

for (const [what, isLike] of [
	["by whoever has let go of it at the same time", false],
	["as another rule had the like made meanwhile", true],
] as const) {
	test(`a rule that is stored while the last other one lets go of its trigger keeps one, also where that was made ${what}`, async () => {
		const backend = createBackend();
		const next: { around: Around | undefined } = { around: undefined };
		try {
			await withRules(
				async ({ engine, processed, started }) => {
					const add = (name: string) => engine.rules.create(rule(name), administrator);
					const { trigger } = await add("last");
					if (trigger === undefined) throw new Error("a rule has no trigger");
					next.around = {
						before: () => add("new"),
						after: (storage) => (isLike ? add("like") : storage.insert("trigger", [trigger])),
					};
					await engine.rules.remove("default.last");
					assert.equal(next.around, undefined);
					const { items } = await engine.rules.list({}, {});
					const expected = isLike ? ["like", "new"] : ["new"];
					assert.deepEqual(items.map(({ rule: { name } }) => name).sort(), expected);
					assert.equal(new Set(items.map((view) => view.trigger?.ref)).size, 1);
					assert.ok(items.every((view) => view.trigger !== undefined && view.rule.trigger === view.trigger.ref));
					const parameters = { url: "shared" };
					const { instance } = await engine.dispatcher.dispatch({ trigger: { type: "core.svc.webhook", parameters }, payload: {} });
					await processed(instance.id);
					assert.deepEqual((await started()).map(({ rule_name }) => rule_name).sort(), expected);
				},
				{ storage: crowded(backend.storage, next) },
			);
		} finally {
			await backend.release();
		}
	});
}

test.run();
