import { routes } from "../../plugins/_shipped/routes.ts";
import { type CallerName, ownHook, singlePermission } from "./caller-names.ts";
import type { FuzzRequest } from "./make-request.ts";
import { kindOf } from "./memory.ts";

/** What each of them sends to say who it is. */
export type Callers = Readonly<Record<CallerName, Readonly<Record<string, string>>>>;

/** Whether an answer of success to this caller means that a door stands open. */
export function mayNot({ caller, path, method }: Pick<FuzzRequest, "caller" | "path" | "method">): boolean {
	if (caller === "admin" || method === "OPTIONS") return false;
	if (caller === "hook-key" && ["GET", "HEAD", "POST"].includes(method) && fits(`/webhooks/${ownHook}`, path)) return false;
	// One's own items, keys and roles need no permission.
	if (caller === "single" && ["keys", "apikeys", "rbac"].includes(kindOf(path))) return false;
	const open = routes.filter((route) => isOpen(route.permission, caller));
	return !open.some((route) => (method === route.method || (method === "HEAD" && route.method === "GET")) && fits(route.path, path));
}

function isOpen(permission: string, caller: CallerName): boolean {
	if (permission === "public") return true;
	if (caller === "nobody" || caller === "stranger") return false;
	return permission === "authenticated" || (caller === "single" ? permission === singlePermission : false);
}

/** Whether a path may be one of a route, as a server may read it: with dots resolved and with escapes undone. */
function fits(pattern: string, path: string): boolean {
	const { pathname } = new URL(path.replace(/^\/+/, "/"), "http://a");
	const bare = pathname.replace(/^(?:\/(?:auth|api|stream))?(?:\/v1)?(?=\/|$)/, "");
	const expression = pattern.replace(/\*\*:\w+/g, ".*").replace(/:\w+/g, "[^/]+");
	return new RegExp(`^${expression}/?$`).test(bare.replace(/^\/actionexecutions/, "/executions") || "/");
}
