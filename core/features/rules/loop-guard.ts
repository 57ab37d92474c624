import type { ExecutionEntity, RuleEntity, TriggerInstanceEntity } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";

/** Stops rules whose actions trigger the same rules again. */
export interface LoopGuard {
	/** Returns the reason why a rule must not act on an event; undefined if it may. */
	refuse(rule: RuleEntity, instance: TriggerInstanceEntity): Promise<string | undefined>;
}

type Ruled = Pick<ExecutionEntity, "id" | "parent_id" | "trigger_instance_id">;

const minute = 60_000_000;
/** Maximum number of ancestors of an execution that are searched for the one that a rule started. */
const maximumGenerations = 100;

export function createLoopGuard({ storage, clock, options }: Uses<"storage" | "clock" | "options">): LoopGuard {
	const { depth_limit, loop_limit } = options.rules;

	/** Returns how often the rule has acted on events of the trace during the last minute. */
	async function countActs(rule: RuleEntity, instance: TriggerInstanceEntity): Promise<number> {
		const since = toTimestamp(clock.now() - minute);
		return storage.count("rule_enforcement", {
			trace_id: instance.trace_id,
			rule_id: rule.id,
			status: "succeeded",
			enforced_at: { gt: since },
		});
	}

	/** Returns true if the rule is one of the causes of the event. */
	async function isCausedBy(rule: RuleEntity, instance: TriggerInstanceEntity): Promise<boolean> {
		let cause = instance.caused_by_id;
		for (let step = 0; cause !== null && step < depth_limit; step += 1) {
			const root = await findRuled(cause);
			if (root === undefined) return false;
			const [enforcement] = await storage.find("rule_enforcement", { where: { execution_id: root.id }, fields: ["rule_id"], limit: 1 });
			if (enforcement?.rule_id === rule.id) return true;
			const where = { id: root.trigger_instance_id ?? "" };
			const [earlier] = await storage.find("trigger_instance", { where, fields: ["caused_by_id"] });
			cause = earlier?.caused_by_id ?? null;
		}
		return false;
	}

	/** Returns the execution, or its nearest ancestor, that a rule has started; undefined if there is none. */
	async function findRuled(executionId: string): Promise<Ruled | undefined> {
		let id: string | null = executionId;
		for (let generation = 0; id !== null && generation < maximumGenerations; generation += 1) {
			const fields = ["id", "parent_id", "trigger_instance_id"] as const;
			const [execution]: Ruled[] = await storage.find("execution", { where: { id }, fields });
			if (execution === undefined || execution.trigger_instance_id !== null) return execution;
			id = execution.parent_id;
		}
		return undefined;
	}

	return {
		async refuse(rule, instance) {
			if (instance.depth === 0) return undefined;
			if (instance.depth >= depth_limit) {
				return `loop guard: a chain of ${instance.depth} rules led to this event; the limit is ${depth_limit} (rules.depth_limit)`;
			}
			const acts = await countActs(rule, instance);
			if (acts < loop_limit || !(await isCausedBy(rule, instance))) return undefined;
			return `loop guard: the rule acted ${acts} times within a minute on events that it caused; the limit is ${loop_limit} (rules.loop_limit)`;
		},
	};
}
