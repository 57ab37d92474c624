import type { Packet } from "../_event-bus/packet.ts";
import type { Client } from "./postgres-package.ts";

const tableName = "svc_bus_packet";
/** Key of the advisory lock: two arbitrary numbers, equal on all nodes. */
const lockKey = "1398162242, 1";
/** Seconds for which a row is kept. Listeners read it long before that. */
const keptFor = 60;

/**
 * Table of packets that are too large for a notification. It is unlogged, because its rows are useless after a crash. An existing table is
 * used without changes.
 */
export class PacketTable {
	readonly #client: Client;
	readonly #schema: string | undefined;
	readonly #table: string;
	#mayHoldOld = true;

	constructor(client: Client, schema: string | undefined) {
		this.#client = client;
		this.#schema = schema === undefined ? undefined : quote(schema);
		this.#table = this.#schema === undefined ? tableName : `${this.#schema}.${tableName}`;
	}

	/**
	 * Creates the table if it is missing. An advisory lock serializes concurrent nodes, because `if not exists` alone would fail on some of
	 * them.
	 */
	async prepare(): Promise<void> {
		const [found] = await this.#client.unsafe("select to_regclass($1)::text as name", [this.#table]);
		if (found?.["name"] !== null) return;
		await this.#client.begin(async (client) => {
			await client.unsafe(`select pg_advisory_xact_lock(${lockKey})`);
			if (this.#schema !== undefined) await client.unsafe(`create schema if not exists ${this.#schema}`);
			await client.unsafe(
				`create unlogged table if not exists ${this.#table} (sender text collate "C" not null, sequence bigint not null,
				body text not null, created_at timestamptz not null default now(), primary key (sender, sequence))`,
			);
		});
	}

	/** Stores packets and sends notifications in one transaction, so that a receiver can always read the packet of a notification. */
	async store(packets: readonly Packet[], { channel, payloads }: { readonly channel: string; readonly payloads: readonly string[] }) {
		const notify = "select pg_notify($1, payload) from json_array_elements_text($2::text::json) payload";
		const parameters = [channel, JSON.stringify(payloads)];
		if (packets.length === 0) {
			await this.#client.unsafe(notify, parameters, { prepare: true });
			return;
		}
		this.#mayHoldOld = true;
		const rows = packets.map(({ sender, sequence, body }) => ({ sender, sequence, body }));
		await this.#client.unsafe(
			`with kept as (
				insert into ${this.#table} (sender, sequence, body)
				select packet ->> 'sender', (packet ->> 'sequence')::bigint, packet ->> 'body' from json_array_elements($3::text::json) packet
				on conflict do nothing
			) ${notify}`,
			[...parameters, JSON.stringify(rows)],
			{ prepare: true },
		);
	}

	/** Returns bodies by sender and sequence number, without those that no longer exist. */
	async read(packets: readonly Packet[]): Promise<Map<string, string>> {
		this.#mayHoldOld = true;
		const keys = packets.map(({ sender, sequence }) => ({ sender, sequence }));
		const rows = await this.#client.unsafe(
			`select sender, sequence::text as sequence, body from ${this.#table} where (sender, sequence) in
			(select packet ->> 'sender', (packet ->> 'sequence')::bigint from json_array_elements($1::text::json) packet)`,
			[JSON.stringify(keys)],
			{ prepare: true },
		);
		return new Map(rows.map((row) => [`${row["sender"]} ${row["sequence"]}`, String(row["body"])]));
	}

	/** Deletes expired rows, unless there can be none. */
	async clean(): Promise<void> {
		if (!this.#mayHoldOld) return;
		const [left] = await this.#client.unsafe(
			`with removed as (delete from ${this.#table} where created_at < now() - interval '${keptFor} seconds')
			select exists (select 1 from ${this.#table} where created_at >= now() - interval '${keptFor} seconds') as some`,
		);
		this.#mayHoldOld = left?.["some"] === true;
	}
}

function quote(identifier: string): string {
	return `"${identifier.replaceAll('"', '""')}"`;
}
