import { PostgresFailure } from "../_postgres/errors.ts";
import { ConnectionLostError } from "./connection-lost.ts";
import type { PostgresLine, PostgresResult, PostgresRows } from "./postgres-connection.ts";
import type { Binding } from "./values.ts";

/** A pool of the host's own: a `Pool` of the package pg 8. */
export interface HostPool {
	readonly options: {
		readonly max: number;
		readonly host?: string | undefined;
		readonly port?: number | undefined;
		readonly user?: string | undefined;
		readonly database?: string | undefined;
		/** Holds the others, where they are not given. */
		readonly connectionString?: string | undefined;
	};
	connect(): Promise<HostClient>;
}

/** One connection of it, until it is released. */
export interface HostClient {
	query(query: { readonly text: string }): Promise<unknown>;
	/** @param destroy whether to close it, instead of giving it to the next */
	release(destroy?: boolean): void;
	on(event: "error", listener: (error: Error) => void): unknown;
	off(event: "error", listener: (error: Error) => void): unknown;
}

interface HostQuery {
	readonly text: string;
	readonly values?: readonly unknown[];
	readonly rowMode?: "array";
	readonly types?: typeof types;
}

interface RawResult {
	readonly rows: readonly (readonly (string | null)[])[];
	readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
	readonly rowCount: number | null;
	readonly command: string;
}

/** OIDs of the types whose values are no text here. */
const numbers = new Set([20, 21, 23, 26, 700, 701]);
const boolean = 16;

/** What the host makes of values is its own affair: here they come as the server has sent them. */
const types = { getTypeParser: () => (text: string) => text };

/** A connection of the host's pool, for as long as it is lent. */
export class LentLine implements PostgresLine {
	readonly #client: HostClient;
	readonly #onError: (error: Error) => void;
	#last: Promise<unknown> = Promise.resolve();
	#isGivenBack = false;

	/** @param onLost called when the connection goes by itself, which would end a process that does not listen */
	constructor(client: HostClient, onLost: (error: Error) => void) {
		this.#client = client;
		this.#onError = onLost;
		client.on("error", onLost);
	}

	execute(sql: string): PromiseLike<unknown> {
		return this.#send({ text: sql });
	}

	/** Nothing is prepared: the host may have a pooler in between that cannot do it. */
	ask(sql: string, bindings: readonly unknown[]): PromiseLike<PostgresRows> {
		return this.#ask(sql, bindings).then(({ rows, fields, rowCount }) => ({
			rows: rows.map((row) => row.map((value, index) => toBinding(value, fields[index]?.dataTypeID))),
			count: rowCount ?? 0,
		}));
	}

	askByName(sql: string, bindings: readonly unknown[]): PromiseLike<PostgresResult> {
		return this.#ask(sql, bindings).then(({ rows, fields, rowCount, command }) => ({
			rows: rows.map((row) =>
				Object.fromEntries(fields.map(({ name, dataTypeID }, index) => [name, toBinding(row[index] ?? null, dataTypeID)])),
			),
			count: rowCount,
			command,
		}));
	}

	async end(): Promise<void> {
		this.#giveBack(false);
	}

	drop(): void {
		this.#giveBack(true);
	}

	#ask(text: string, values: readonly unknown[]): Promise<RawResult> {
		return this.#send({ text, values, rowMode: "array", types }) as Promise<RawResult>;
	}

	/** One after the other, as the package wants it. */
	#send(query: HostQuery): Promise<unknown> {
		const answer = this.#last.then(() => {
			if (this.#isGivenBack) throw new ConnectionLostError("the connection was lost");
			return this.#client.query(query);
		});
		this.#last = answer.catch(() => {});
		return answer.catch((error: unknown) => {
			throw toHostFailure(error);
		});
	}

	#giveBack(destroy: boolean): void {
		if (this.#isGivenBack) return;
		this.#isGivenBack = true;
		// One that is destroyed may still say that it is; nobody else listens.
		if (!destroy) this.#client.off("error", this.#onError);
		this.#client.release(destroy);
	}
}

/** An error of the package pg: what the server has sent has a SQLSTATE and how bad it is. */
export function toHostFailure(error: unknown): unknown {
	if (!(error instanceof Error) || !("severity" in error) || !("code" in error) || typeof error.code !== "string") return error;
	return new PostgresFailure(error.code, error.message);
}

function toBinding(value: string | null, type: number | undefined): Binding {
	if (value === null || type === undefined) return value;
	if (type === boolean) return value === "t";
	return numbers.has(type) ? Number(value) : value;
}
