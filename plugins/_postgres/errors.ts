import { SvcError, toErrorMessage } from "../../core/contract/index.ts";

/**
 * Prefixes of SQLSTATE codes of temporary errors that the caller did not cause. They cover connections, resources (disk, memory,
 * connections), shutdown and canceled statements, system errors, corruption, standby servers, locks and refused sign-ins.
 */
const outage = /^(08|53|57|58|XX|28|25006|25P03|25P04|55P03|55006|3D000|42501)/;

/** SQLSTATE codes of refusals that only a change of the configuration or of the server can resolve. */
const refused = /^(28|3D000|42501|0A000)/;

/** SQLSTATE codes of a conflict with another transaction. This transaction was rolled back completely and must be repeated. */
const collision = /^(40001|40P01)$/;

/** A server error without its detail, because the detail may quote rows. */
export class PostgresFailure extends Error {
	override readonly name = "PostgresFailure";
	/** SQLSTATE code. */
	readonly code: string;

	constructor(code: string, message: string) {
		super(message);
		this.code = code;
	}
}

/** Returns the SQLSTATE code of an error that the server sent, or undefined for every other error. */
export function sqlStateOf(error: unknown): string | undefined {
	if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
	return error.name === "PostgresError" || error.name === "PostgresFailure" ? error.code : undefined;
}

export function isCollision(error: unknown): boolean {
	return collision.test(sqlStateOf(error) ?? "");
}

/** Converts an error of a statement: `SVC_UNAVAILABLE` for an outage, otherwise the error without the rows that it may quote. */
export function fromPostgresError(error: unknown): unknown {
	const code = sqlStateOf(error);
	if (code === undefined) return isConnectionError(error) ? toUnavailable(error) : error;
	const failure = toFailure(code, error);
	return outage.test(code) ? toUnavailable(failure) : failure;
}

/** Converts an error of the first connection. If only a change of the configuration can fix it, the result is `SVC_CONFIG`. */
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
	return new SvcError("SVC_UNAVAILABLE", `the database is currently unavailable: ${toErrorMessage(cause)}`, { cause, facts });
}

/** Returns true if the server or its machine has explicitly refused the connection. A missing response does not count. */
function isAway(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	const code = "code" in error ? String(error.code) : "";
	return code === "ECONNREFUSED" || /^57P0[123]$/.test(code) || isAway(error.cause);
}

/** Returns true for errors of the system and the driver, which have a code in capitals, such as ECONNRESET and CONNECTION_CLOSED. */
export function isConnectionError(error: unknown): boolean {
	return error instanceof Error && "code" in error && typeof error.code === "string" && /^(E[A-Z]+$|CONNECT)/.test(error.code);
}
