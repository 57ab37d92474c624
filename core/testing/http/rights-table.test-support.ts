import type { Route } from "../../http/route.ts";
import { matrixRows } from "./matrix-rows.test-support.ts";
import type { MatrixRow, Needs } from "./rights-row.test-support.ts";

/** A kind of caller: what it is answered, and what it sees of that. */
export interface CallerKind {
	/** Its column in the table. */
	readonly name: string;
	expects(route: Route, row: MatrixRow): number;
	/** Whether it sees what takes this. */
	sees(needs: Needs): boolean;
}

export interface RightsRow {
	readonly key: string;
	readonly route: Route;
	readonly row: MatrixRow;
}

const lookingPattern = /^(?!audit_).*_(view|list|search)$/;

/** Whoever has nothing but a credential. */
function expectsAuthenticated({ permission }: Route, row: MatrixRow): number {
	const isOpen = permission === "authenticated" || permission === "public";
	return isOpen && row.others === undefined ? row.ok : (row.others ?? 403);
}

/** A role, or a scoped key, that was given exactly what the route asks for. */
function expectsGranted(route: Route, row: MatrixRow): number {
	return row.grants === undefined ? expectsAuthenticated(route, row) : row.ok;
}

const seesAsked = (needs: Needs) => needs === "asked";

/** Every kind of caller. What of a request each one sees beyond its status is decided here and in the rows, nowhere else. */
export const callerKinds = {
	/** Without a credential that is any good. */
	stranger: { name: "nobody", expects: ({ permission }, row) => (permission === "public" ? row.ok : 401), sees: () => false },
	nobody: { name: "no role", expects: expectsAuthenticated, sees: () => false },
	/** A key that may post to the webhook of the rows. */
	webhookKey: {
		name: "webhook key",
		expects: (route, row) => (route.permission === "webhook_send" ? row.ok : expectsAuthenticated(route, row)),
		sees: seesAsked,
	},
	observer: {
		name: "observer",
		expects: (route, row) => (lookingPattern.test(route.permission) && !row.onlyOwner ? row.ok : expectsAuthenticated(route, row)),
		sees: (needs) => needs === "asked" || lookingPattern.test(needs),
	},
	granted: {
		name: "role with it",
		// Grants on keys name their hash, and what is somebody's own cannot be granted.
		expects: (route, row) => (row.grants?.length === 0 ? 403 : expectsGranted(route, row)),
		sees: seesAsked,
	},
	/** An administrator's key with the permission as its scope. */
	scopedKey: { name: "key with it", expects: expectsGranted, sees: seesAsked },
	/** Asks for what is its own, and has no role that says anything. */
	owner: {
		name: "owner",
		expects: (route, row) => row.owner?.ok ?? expectsAuthenticated(route, row),
		sees: (needs) => needs === "owner",
	},
	administrator: { name: "admin", expects: (_route, row) => row.ok, sees: () => true },
} as const satisfies Readonly<Record<string, CallerKind>>;

/** The row of every route. Throws for a route without one, and for a row without a route. */
export function toRightsRows(routes: readonly Route[]): readonly RightsRow[] {
	const keyed = routes.map((route) => ({ route, key: `${route.component} ${route.method} ${route.path}` }));
	const keys = new Set(keyed.map(({ key }) => key));
	const superfluous = Object.keys(matrixRows).filter((key) => !keys.has(key));
	const forgotten = [...keys].filter((key) => !Object.hasOwn(matrixRows, key));
	if (superfluous.length + forgotten.length > 0)
		throw new Error(`no row for ${forgotten.join(", ")}; no route for ${superfluous.join(", ")}`);
	return keyed.map(({ key, route }) => ({ key, route, row: matrixRows[key] as MatrixRow }));
}
