import { PostgresFailure } from "../_postgres/errors.ts";
import { ConnectionLostError } from "./connection-lost.ts";
import type { PostgresDriverConnection, PostgresResult, PostgresRows } from "./postgres-connection.ts";
import type { Binding } from "./values.ts";

/** Pool of the program that embeds the service: a `Pool` of the package pg 8. */
export interface HostPool {
	readonly options: {
		readonly max: number;
		readonly host?: string | undefined;
		readonly port?: number | undefined;
		readonly user?: string | undefined;
		readonly database?: string | undefined;
		/** URL with the other options, if they are not given. */
		readonly connectionString?: string | undefined;
	};
	connect(): Promise<HostClient>;
}

/** Connection borrowed from a `HostPool`, until it is released. */
export interface HostClient {
	query(query: { readonly text: string }): Promise<unknown>;
	/** @param destroy true to close the connection instead of returning it to the pool */
	release(destroy?: boolean): void;
	on(event: "error", listener: (error: Error) => void): unknown;
	off(event: "error", listener: (error: Error) => void): unknown;
}

interface HostQuery {
	readonly text: string;
	readonly values?: readonly unknown[];
	readonly rowMode?: "array";
	readonly types?: typeof rawTypes;
}

interface RawResult {
	readonly rows: readonly (readonly (string | null)[])[];
	readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
	readonly rowCount: number | null;
	readonly command: string;
}

/** OIDs of the PostgreSQL types whose values are converted to numbers. */
const numberTypes = new Set([20, 21, 23, 26, 700, 701]);
/** OID of the PostgreSQL type boolean. */
const booleanType = 16;

/** Type parsers that return values as the server sends them, regardless of the parsers that the host has configured. */
const rawTypes = { getTypeParser: () => (text: string) => text };

/** Connection borrowed from the pool of the host. */
export class HostDriverConnection implements PostgresDriverConnection {
	readonly #client: HostClient;
	readonly #onError: (error: Error) => void;
	#lastQuery: Promise<unknown> = Promise.resolve();
	#isReleased = false;

	/** @param onLost called if the connection is lost while idle; without a listener, this error would end the process */
	constructor(client: HostClient, onLost: (error: Error) => void) {
		this.#client = client;
		this.#onError = onLost;
		client.on("error", onLost);
	}

	execute(sql: string): PromiseLike<unknown> {
		return this.#send({ text: sql });
	}

	/** Never prepares statements, because the host may use a connection pooler that does not support them. */
	query(sql: string, bindings: readonly unknown[]): PromiseLike<PostgresRows> {
		return this.#ask(sql, bindings).then(({ rows, fields, rowCount }) => ({
			rows: rows.map((row) => row.map((value, index) => toBinding(value, fields[index]?.dataTypeID))),
			count: rowCount ?? 0,
		}));
	}

	queryByName(sql: string, bindings: readonly unknown[]): PromiseLike<PostgresResult> {
		return this.#ask(sql, bindings).then(({ rows, fields, rowCount, command }) => ({
			rows: rows.map((row) =>
				Object.fromEntries(fields.map(({ name, dataTypeID }, index) => [name, toBinding(row[index] ?? null, dataTypeID)])),
			),
			count: rowCount,
			command,
		}));
	}

	async end(): Promise<void> {
		this.#release(false);
	}

	destroy(): void {
		this.#release(true);
	}

	#ask(text: string, values: readonly unknown[]): Promise<RawResult> {
		return this.#send({ text, values, rowMode: "array", types: rawTypes }) as Promise<RawResult>;
	}

	/** Sends one query after the other, as the package pg requires. */
	#send(query: HostQuery): Promise<unknown> {
		const answer = this.#lastQuery.then(() => {
			if (this.#isReleased) throw new ConnectionLostError("the connection was lost");
			return this.#client.query(query);
		});
		this.#lastQuery = answer.catch(() => {});
		return answer.catch((error: unknown) => {
			throw toHostFailure(error);
		});
	}

	#release(destroy: boolean): void {
		if (this.#isReleased) return;
		this.#isReleased = true;
		// A destroyed connection may still emit an error, which without a listener would end the process.
		if (!destroy) this.#client.off("error", this.#onError);
		this.#client.release(destroy);
	}
}

/** Converts an error of the package pg. Only errors from the server have a SQLSTATE and a severity; others are returned unchanged. */
export function toHostFailure(error: unknown): unknown {
	if (!(error instanceof Error) || !("severity" in error) || !("code" in error) || typeof error.code !== "string") return error;
	return new PostgresFailure(error.code, error.message);
}

function toBinding(value: string | null, type: number | undefined): Binding {
	if (value === null || type === undefined) return value;
	if (type === booleanType) return value === "t";
	return numberTypes.has(type) ? Number(value) : value;
}
