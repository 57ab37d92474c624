import type { ExecutionEntity, ExecutionStatus } from "../../contract/index.ts";
import { fromTimestamp, toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { toResultPatch, toStatusPatch } from "../../kernel/executions/status.ts";
import { applyTransition } from "../../kernel/executions/transition.ts";
import type { Kernel } from "../../kernel/kernel.ts";

export interface StalledRunDependencies
	extends Uses<"storage" | "eventBus" | "clock" | "logger" | "runners">,
		Pick<Kernel, "completionEffects"> {
	/** Seconds without activity until a run counts as stalled; 0 disables the search. */
	readonly limit: number;
}

type Looked = Pick<ExecutionEntity, (typeof fields)[number]>;

/** A run without activity for longer than the limit. */
interface IdleRun {
	readonly execution: Looked;
	/** Timestamp of the last activity. */
	readonly since: string;
	readonly lastEntry: string | undefined;
}

const fields = ["id", "action_ref", "status", "log", "context", "owner", "fence", "lease_expires_at"] as const;
const pageSize = 100;
const working: readonly ExecutionStatus[] = ["running", "pausing", "resuming"];
const waitingStatuses: readonly ExecutionStatus[] = ["pending", "paused"];
/** Statuses of child executions that a node runs or will run. */
const activeStatuses: readonly ExecutionStatus[] = ["requested", "scheduled", "delayed", "running", "canceling", "pausing", "resuming"];

/** Finds workflow runs that a defect has left without progress: no child is active, and nothing was recorded for longer than the limit. */
export class StalledRuns {
	readonly #parts: StalledRunDependencies;
	readonly #runnerNames: readonly string[];
	/** State of each idle run at the previous search, by execution id. */
	#seen: ReadonlyMap<string, string> = new Map();

	constructor(parts: StalledRunDependencies) {
		this.#parts = parts;
		this.#runnerNames = [...parts.runners].filter(([, { capabilities }]) => capabilities.workflow === true).map(([name]) => name);
	}

	/**
	 * Fails idle runs, and resumes paused runs that have no reason to wait. Stops when the signal aborts. Returns how many runs it changed.
	 * Changes a run only if the previous search found it in the same state, so that an active run can make progress after the machine was
	 * suspended or its clock was set.
	 */
	async end(signal: AbortSignal): Promise<number> {
		const { storage, limit } = this.#parts;
		if (limit === 0 || this.#runnerNames.length === 0) return 0;
		const before = toTimestamp(this.#parts.clock.now() - limit * 1_000_000);
		const seen = new Map<string, string>();
		let count = 0;
		for (let after = ""; !signal.aborted; ) {
			const where = { runner_name: { in: this.#runnerNames }, status: { in: [...working, "paused"] as const }, id: { gt: after } };
			const page = await storage.find("execution", { where, limit: pageSize, fields });
			for (const execution of page) count += await this.#look(execution, { before, seen });
			const last = page.at(-1);
			if (last === undefined || page.length < pageSize) break;
			after = last.id;
		}
		this.#seen = seen;
		return count;
	}

	async #look(execution: Looked, { before, seen }: { readonly before: string; readonly seen: Map<string, string> }): Promise<number> {
		const idle = await this.#findIdle(execution, before);
		if (idle === undefined) return 0;
		const state = [execution.status, execution.fence, idle.since].join(" ");
		seen.set(execution.id, state);
		if (this.#seen.get(execution.id) !== state) return 0;
		return (await (execution.status === "paused" ? this.#resume(idle) : this.#end(idle))) ? 1 : 0;
	}

	/** Returns the run if it is idle. Returns undefined if it has been active since `before`, or has a reason to wait. */
	async #findIdle(execution: Looked, before: string): Promise<IdleRun | undefined> {
		const { storage } = this.#parts;
		const { id, log, status, context } = execution;
		const changed = log.at(-1)?.timestamp ?? "";
		if (changed >= before) return undefined;
		if (status === "paused" ? context["paused_by"] !== undefined : !(await this.#isHeldSince(execution, before))) return undefined;
		if ((await storage.count("execution", { parent_id: id, status: { in: activeStatuses } })) > 0) return undefined;
		const waiting = await storage.find("execution", { where: { parent_id: id, status: { in: waitingStatuses } }, fields: ["id", "log"] });
		if (status === "paused" && waiting.length > 0) return undefined;
		const lastEntry = await this.#lastEntry(id);
		const times = [changed, lastEntry ?? "", await this.#lastEnd(id), ...waiting.map((child) => child.log.at(-1)?.timestamp ?? "")];
		const since = times.sort().at(-1) ?? changed;
		return since < before ? { execution, since, lastEntry } : undefined;
	}

	/** Returns true if a node holds the lease and was started before `before`. A node started later had too little time to make progress. */
	async #isHeldSince({ owner, lease_expires_at: expiry }: Looked, before: string): Promise<boolean> {
		const { storage, clock } = this.#parts;
		if (owner === null || expiry === null || expiry <= toTimestamp(clock.steady())) return false;
		const node = await storage.get("node", owner);
		return node !== undefined && node.started_at < before;
	}

	async #lastEntry(executionId: string): Promise<string | undefined> {
		const [entry] = await this.#parts.storage.find("journal_entry", {
			where: { execution_id: executionId },
			orderBy: [["sequence", "desc"]],
			limit: 1,
			fields: ["timestamp"],
		});
		return entry?.timestamp;
	}

	async #lastEnd(parentId: string): Promise<string> {
		const [child] = await this.#parts.storage.find("execution", {
			where: { parent_id: parentId, end_timestamp: { gt: "" } },
			orderBy: [["end_timestamp", "desc"]],
			limit: 1,
			fields: ["end_timestamp"],
		});
		return child?.end_timestamp ?? "";
	}

	/** Fails the run. The same write cancels its open inquiries and child workflows. The node that holds the run is notified and stops it. */
	async #end(idle: IdleRun): Promise<boolean> {
		const { limit } = this.#parts;
		const ended = await this.#apply(idle, (entity, timestamp) => {
			const error = `the workflow was inactive for more than ${limit} seconds (workflow_engine.gc_max_idle_sec)`;
			const result = { ...entity.result, failed: true, succeeded: false, error };
			return { ...toStatusPatch(entity, "failed", timestamp), ...toResultPatch(result) };
		});
		if (!ended) return false;
		this.#tell("stalled workflow ended", idle);
		return true;
	}

	/** Resumes a paused run that no user has paused and that waits for no child. The notification that should have resumed it was lost. */
	async #resume(idle: IdleRun): Promise<boolean> {
		const resumed = await this.#apply(idle, (entity, timestamp) => {
			const { resumed_by: _by, ...context } = entity.context;
			return { ...toStatusPatch(entity, "resuming", timestamp), context };
		});
		if (resumed) this.#tell("workflow resumed, because the reason for its pause is over", idle);
		return resumed;
	}

	/** Applies a patch. Returns false if the execution has changed since the search found it. */
	async #apply(
		{ execution: { id, status, fence } }: IdleRun,
		toPatch: (entity: ExecutionEntity, timestamp: string) => Parameters<typeof applyTransition>[2],
	): Promise<boolean> {
		const { storage, clock } = this.#parts;
		const entity = await storage.get("execution", id);
		if (entity === undefined || entity.status !== status || entity.fence !== fence) return false;
		const patch = toPatch(entity, toTimestamp(clock.now()));
		return (await applyTransition(this.#parts, entity, patch, { status, fence })) !== undefined;
	}

	#tell(message: string, { execution, since, lastEntry }: IdleRun): void {
		const { logger, clock } = this.#parts;
		logger.warn(message, {
			execution_id: execution.id,
			action: execution.action_ref,
			status: execution.status,
			idle_seconds: Math.floor((clock.now() - fromTimestamp(since)) / 1_000_000),
			last_journal_entry: lastEntry ?? null,
		});
	}
}
