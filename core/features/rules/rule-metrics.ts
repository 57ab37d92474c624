import type { Instrument } from "../../contract/index.ts";
import type { TelemetryHub } from "../../kernel/telemetry/telemetry-hub.ts";

/** Metrics of the evaluation of rules for events. */
export class RuleMetrics {
	readonly #looked: Instrument;
	readonly #matched: Instrument;

	constructor(hub: TelemetryHub) {
		this.#looked = hub.counter({
			name: "svc_rules_evaluated_total",
			help: "Rules that were evaluated for events.",
		});
		this.#matched = hub.counter({ name: "svc_rule_matches_total", help: "Rules whose criteria matched an event." });
		const enforcements = hub.counter({
			name: "svc_rule_enforcements_total",
			help: "Rule enforcements, by outcome: succeeded, failed.",
			labels: ["status"],
		});
		hub.onStored("rule_enforcement", (stored) => {
			for (const { status } of stored) enforcements.record(1, status);
		});
	}

	/** Counts the rules that were evaluated for an event, and those that matched. */
	looked(rules: number, matching: number): void {
		this.#looked.record(rules);
		this.#matched.record(matching);
	}
}
