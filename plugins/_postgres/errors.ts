import { SvcError, toErrorMessage } from "../../core/contract/index.ts";

/**
 * SQLSTATE codes, by their beginning, of troubles that are not the caller's fault and may pass: connection, resources (disk,
 * memory, connections), shutdown and cancelled statements, the system, corruption, a standby, locks, refused sign-ins.
 */
const outage = /^(08|53|57|58|XX|28|25006|25P03|25P04|55P03|55006|3D000|42501)/;

/** Refused for as long as somebody does not change the configuration or the server. */
const refused = /^(28|3D000|42501|0A000)/;

/** Another transaction was in the way, and this one has left nothing: it is to be run again. */
const collision = /^(40001|40P01)$/;

/** What is known of an error of the server: without the detail, which quotes rows. */
export class PostgresFailure extends Error {
	override readonly name = "PostgresFailure";
	/** SQLSTATE. */
	readonly code: string;

	constructor(code: string, message: string) {
		super(message);
		this.code = code;
	}
}

/** The SQLSTATE of an error that the server sent; undefined for every other. */
export function sqlStateOf(error: unknown): string | undefined {
	if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
	return error.name === "PostgresError" || error.name === "PostgresFailure" ? error.code : undefined;
}

export function isCollision(error: unknown): boolean {
	return collision.test(sqlStateOf(error) ?? "");
}

/** What a plugin throws for an error at a statement: `SVC_UNAVAILABLE` for an outage, else the error without the rows that it may quote. */
export function fromPostgresError(error: unknown): unknown {
	const code = sqlStateOf(error);
	if (code === undefined) return isConnectionError(error) ? toUnavailable(error) : error;
	const failure = toFailure(code, error);
	return outage.test(code) ? toUnavailable(failure) : failure;
}

/** The same for an error at the first connection: what only a change of the configuration can cure is `SVC_CONFIG`. */
export function fromConnectError(error: unknown, label: string): SvcError {
	const code = sqlStateOf(error);
	const cause = code === undefined ? error : toFailure(code, error);
	const message = `the database ${label} cannot be used: ${toErrorMessage(error)}`;
	return new SvcError(code !== undefined && refused.test(code) ? "SVC_CONFIG" : "SVC_UNAVAILABLE", message, { cause });
}

function toFailure(code: string, error: unknown): PostgresFailure {
	return error instanceof PostgresFailure ? error : new PostgresFailure(code, toErrorMessage(error));
}

function toUnavailable(cause: unknown): SvcError {
	const facts = isAway(cause) ? { refused: true } : {};
	return new SvcError("SVC_UNAVAILABLE", `the database cannot be used now: ${toErrorMessage(cause)}`, { cause, facts });
}

/** Whether the server, or the machine it should be on, has said itself that it serves nobody now. Silence says nothing of the kind. */
function isAway(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	const code = "code" in error ? String(error.code) : "";
	return code === "ECONNREFUSED" || /^57P0[123]$/.test(code) || isAway(error.cause);
}

/** Errors of the system and the driver have a code in capitals, such as ECONNRESET and CONNECTION_CLOSED. */
export function isConnectionError(error: unknown): boolean {
	return error instanceof Error && "code" in error && typeof error.code === "string" && /^(E[A-Z]+$|CONNECT)/.test(error.code);
}
