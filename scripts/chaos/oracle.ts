import { readFile } from "node:fs/promises";
import postgres from "postgres";

/** What an execution of the load does. */
export type Kind = "noop" | "echo" | "nap" | "delayed" | "event";

export interface Violation {
	/** The promise that was broken. */
	readonly promise: "kept" | "ends" | "once" | "final" | "alive" | "output" | "events" | "recovery";
	readonly detail: string;
}

/** A row as the database has it. */
interface Row {
	readonly id: string;
	readonly status: string;
	readonly end_timestamp: string | null;
	readonly attempt: number;
	readonly result: string | null;
}

export interface OracleOptions {
	readonly databaseUrl: string;
	/** File to which each start of a command adds a line with its execution's id. */
	readonly startsFile: string;
}

/** Times in seconds, lowest first. */
export interface Recovery {
	readonly seconds: readonly number[];
	readonly p99: number;
}

/**
 * Knows what the service has promised and what really happened: what was acknowledged, what commands have written themselves,
 * and every end as it stood first in the database. It asks none of the nodes.
 */
export class Oracle {
	readonly startsFile: string;
	readonly #sql: postgres.Sql;
	readonly #acknowledged = new Map<string, Kind>();
	/** Ids of trigger instances. */
	readonly #events = new Set<string>();
	readonly #ends = new Map<string, Row>();
	/** When the node that ran an execution was ended or frozen, in milliseconds since 1970. */
	readonly #lost = new Map<string, number>();
	readonly #violations: Violation[] = [];
	/** Ends before this have been seen. */
	#seenUntil = "";
	#isWatching = true;
	#watching: Promise<void> = Promise.resolve();
	refused = 0;

	constructor({ databaseUrl, startsFile }: OracleOptions) {
		this.startsFile = startsFile;
		this.#sql = postgres(databaseUrl, {
			max: 2,
			onnotice: () => {},
			connect_timeout: 2,
			// The package asks for the types of arrays in a promise of its own, whose rejection ends this process when the server goes away.
			fetch_types: false,
			connection: { application_name: "oracle" },
		});
	}

	acknowledge(id: string, kind: Kind): void {
		this.#acknowledged.set(id, kind);
	}

	acknowledgeEvent(id: string): void {
		this.#events.add(id);
	}

	count(): number {
		return this.#acknowledged.size + this.#events.size;
	}

	/** Look again and again at which executions have ended, so that an end that changes is noticed. */
	watch(): void {
		this.#watching = this.#watch();
	}

	/** What a process of the service holds is without it from now on. */
	async noteLoss(pid: number): Promise<void> {
		const now = Date.now();
		const rows = await this.#sql<{ id: string }[]>`
			select executions.id from executions join nodes on nodes.id = executions.owner
			where nodes.pid = ${pid} and executions.status in ('scheduled', 'running', 'canceling')`.catch(() => []);
		for (const { id } of rows) this.#lost.set(id, now);
	}

	/** Whether every execution and event that the database has is final within `seconds`; what is not breaks a promise. */
	async settled(seconds: number): Promise<boolean> {
		const deadline = Date.now() + seconds * 1_000;
		for (;;) {
			const open = await this.#readOpen().catch(() => undefined);
			if (open?.length === 0) return true;
			if (Date.now() > deadline) {
				for (const what of open ?? ["the database does not answer"]) this.#violate("ends", what);
				return false;
			}
			await new Promise((resolve) => setTimeout(resolve, 200));
		}
	}

	/** Compare everything promised with everything found. */
	async judge({ mayAbandon, recoveryLimit }: { readonly mayAbandon: boolean; readonly recoveryLimit: number }): Promise<Violation[]> {
		this.#isWatching = false;
		await this.#watching;
		const rows = new Map((await this.#readRows()).map((row) => [row.id, row]));
		const starts = await this.#countStarts();
		for (const id of this.#acknowledged.keys()) if (!rows.has(id)) this.#violate("kept", `execution ${id} was acknowledged and is gone`);
		for (const [id, first] of this.#ends) this.#compareEnd(first, rows.get(id));
		for (const row of rows.values()) this.#judgeRun(row, starts.get(row.id) ?? 0, mayAbandon);
		await this.#judgeEvents();
		const { p99 } = this.recovery();
		if (p99 > recoveryLimit) this.#violate("recovery", `runs of lost nodes were final after ${p99.toFixed(1)} s (p99)`);
		return this.#violations;
	}

	recovery(): Recovery {
		const seconds = [...this.#lost]
			.flatMap(([id, lostAt]) => {
				const end = this.#ends.get(id)?.end_timestamp;
				return end ? [(Date.parse(end) - lostAt) / 1_000] : [];
			})
			.sort((left, right) => left - right);
		return { seconds, p99: seconds[Math.max(0, Math.ceil(seconds.length * 0.99) - 1)] ?? 0 };
	}

	async describe(): Promise<string> {
		const counts = new Map<string, number>();
		for (const { status } of this.#ends.values()) counts.set(status, (counts.get(status) ?? 0) + 1);
		const ends = [...counts].map(([status, count]) => `${count} ${status}`).join(", ");
		const { seconds, p99 } = this.recovery();
		const [late] = await this.#sql<{ count: number }[]>`select coalesce(sum(late_writes), 0)::int as count from nodes`;
		return [
			`${this.#acknowledged.size} executions and ${this.#events.size} events acknowledged, ${this.refused} requests refused or unanswered`,
			`ends: ${ends || "none"}`,
			`runs of lost nodes: ${seconds.length}, final after ${p99.toFixed(1)} s (p99)`,
			`late writes refused by nodes that live: ${late?.count ?? 0}`,
		].join("\n");
	}

	async stop(): Promise<void> {
		this.#isWatching = false;
		await this.#watching;
		await this.#sql.end({ timeout: 1 });
	}

	async #watch(): Promise<void> {
		while (this.#isWatching) {
			await this.#look().catch(() => undefined);
			await new Promise((resolve) => setTimeout(resolve, 250));
		}
	}

	async #look(): Promise<void> {
		const rows = await this.#sql<Row[]>`
			select id, status, end_timestamp, attempt, result from executions
			where end_timestamp is not null and end_timestamp >= ${this.#seenUntil} order by end_timestamp`;
		for (const row of rows) {
			const first = this.#ends.get(row.id);
			if (first === undefined) this.#ends.set(row.id, row);
			else this.#compareEnd(first, row);
		}
		// Nodes that stand still, and clocks that differ, make ends appear late.
		const latest = rows.at(-1)?.end_timestamp;
		if (latest) this.#seenUntil = new Date(Date.parse(latest) - 20_000).toISOString();
	}

	#compareEnd(first: Row, now: Row | undefined): void {
		if (now === undefined) return this.#violate("kept", `execution ${first.id} had ended and is gone`);
		if (now.status === first.status && now.end_timestamp === first.end_timestamp && now.result === first.result) return;
		this.#violate("final", `execution ${first.id} ended ${first.status} and then became ${now.status}`);
	}

	#judgeRun({ id, status, attempt, result }: Row, starts: number, mayAbandon: boolean): void {
		const kind = this.#acknowledged.get(id);
		if (starts > 1 || attempt > 1) this.#violate("once", `execution ${id} was started ${Math.max(starts, attempt)} times`);
		const isCommand = kind === "echo" || kind === "nap" || kind === "delayed";
		if (status === "succeeded" && isCommand) {
			if (starts === 0) this.#violate("once", `execution ${id} succeeded and was never started`);
			const { stdout } = JSON.parse(result ?? "{}") as { readonly stdout?: string };
			if (stdout !== id) this.#violate("output", `execution ${id} printed ${JSON.stringify(stdout)}`);
		}
		if (!mayAbandon && status !== "succeeded") this.#violate("alive", `execution ${id} ended ${status} although its node lived`);
		if (!["succeeded", "abandoned"].includes(status)) this.#violate("ends", `execution ${id} is ${status}`);
	}

	/** The rule acts once on every event. */
	async #judgeEvents(): Promise<void> {
		const rows = await this.#sql<{ id: string; status: string; acts: number; runs: number }[]>`
			select id, status,
				(select count(*)::int from rule_enforcements where trigger_instance_id = trigger_instances.id) as acts,
				(select count(*)::int from executions where trigger_instance_id = trigger_instances.id) as runs
			from trigger_instances where trigger_type = 'core.svc.webhook'`;
		const found = new Map(rows.map((row) => [row.id, row]));
		for (const id of this.#events) if (!found.has(id)) this.#violate("kept", `event ${id} was acknowledged and is gone`);
		for (const { id, status, acts, runs } of rows) {
			if (status === "processed" && acts === 1 && runs === 1) continue;
			this.#violate("events", `event ${id} is ${status}, the rule acted ${acts} times and there are ${runs} executions`);
		}
	}

	async #readOpen(): Promise<string[]> {
		const executions = await this.#sql<Row[]>`select id, status from executions where end_timestamp is null limit 50`;
		const events = await this.#sql<Row[]>`select id, status from trigger_instances where status in ('pending', 'processing') limit 50`;
		return [
			...executions.map(({ id, status }) => `execution ${id} is still ${status}`),
			...events.map(({ id, status }) => `event ${id} is still ${status}`),
		];
	}

	async #readRows(): Promise<Row[]> {
		return this.#sql<Row[]>`select id, status, end_timestamp, attempt::int as attempt, result from executions`;
	}

	async #countStarts(): Promise<ReadonlyMap<string, number>> {
		const counts = new Map<string, number>();
		const text = await readFile(this.startsFile, "utf8").catch(() => "");
		for (const id of text.split("\n").filter((line) => line !== "")) counts.set(id, (counts.get(id) ?? 0) + 1);
		return counts;
	}

	#violate(promise: Violation["promise"], detail: string): void {
		if (!this.#violations.some((violation) => violation.detail === detail)) this.#violations.push({ promise, detail });
	}
}
