import { setTimeout as delay } from "node:timers/promises";
import type { ExecutionEntity, JsonObject, TriggerInstanceEntity } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { startEngine, type TestEngine, type TestEngineOptions } from "../../testing/engine/engine.test-support.ts";
import type { InstanceFilter } from "../triggers/triggers-exports.ts";
import type { RuleInput } from "./rules-exports.ts";

export const administrator: Principal = { username: "maria", isAdmin: true, authentication: { method: "none" } };

/** A trigger type without parameters that anything may be dispatched to. */
export const testTrigger = "default.happening";

export interface RulesTest extends TestEngine {
	/** A rule on `testTrigger` that runs `default.said`, enabled, with a name of its own. */
	addRule(rule?: Partial<RuleInput>): Promise<string>;
	dispatch(payload?: JsonObject): Promise<TriggerInstanceEntity>;
	/** Resolves once the instance is processed, whether or not that succeeded. */
	processed(id: string): Promise<TriggerInstanceEntity>;
	/** Resolves once nothing is pending, processing or running any more. */
	quiet(): Promise<void>;
	/** Executions that rules have started. */
	started(): Promise<readonly ExecutionEntity[]>;
}

export async function withRules(run: (test: RulesTest) => Promise<void>, options?: TestEngineOptions): Promise<void> {
	const service = await startEngine(options);
	const { engine } = service;
	let count = 0;
	async function until(condition: () => Promise<boolean>): Promise<void> {
		while (!(await condition())) await delay(2);
	}
	const isDone = ({ status }: { readonly status: string }) => status === "processed" || status === "processing_failed";
	try {
		await engine.triggers.types.create({ pack: "default", name: "happening" });
		await engine.actions.create({ name: "said", runner_type: "scripted", parameters: { text: { type: "string" } } });
		await run({
			...service,
			async addRule(rule = {}) {
				count += 1;
				const input = { name: `rule_${count}`, trigger: { type: testTrigger }, action: { ref: "default.said" }, enabled: true, ...rule };
				return (await engine.rules.create(input, administrator)).rule.ref;
			},
			async dispatch(payload = { n: 1 }) {
				return (await engine.dispatcher.dispatch({ trigger: testTrigger, payload })).instance;
			},
			async processed(id) {
				await until(async () => isDone(await engine.triggers.instances.get(id)));
				return engine.triggers.instances.get(id);
			},
			async quiet() {
				const countInstances = async (filter: InstanceFilter) => (await engine.triggers.instances.list(filter, { limit: 1 })).total;
				const countExecutions = async (status: readonly string[]) => (await engine.executions.list({ filter: { status }, limit: 1 })).total;
				await until(async () => {
					const before = await countInstances({});
					if ((await countInstances({ status: ["pending", "processing"] })) > 0) return false;
					if ((await countExecutions(["requested", "scheduled", "running", "delayed"])) > 0) return false;
					// An execution that ended since the first look has left an event that this look has not seen.
					return (await countInstances({})) === before;
				});
			},
			async started() {
				const { items } = await engine.executions.list({ filter: {}, orderBy: [["start_timestamp", "asc"]] });
				return items.map(({ entity }) => entity).filter((entity) => entity.rule_name !== null);
			},
		});
	} finally {
		await service.stop();
	}
}
