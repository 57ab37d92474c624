import type { KeyRecord } from "../../features/clients.ts";
import { toHref, toPath } from "../kit/address.ts";
import { session } from "../kit/service.ts";

/** The parts of the datastore, as addresses have them. */
export type ScopeName = "system" | "user";

/** Whose item: undefined is whoever looks. */
export type Owner = string | undefined;

/** Where an item is shown. */
export function toItemHref(item: Pick<KeyRecord, "name" | "scope" | "user">): string {
	const scope = toScopeName(item.scope);
	const user = item.user === session.user.value?.username ? undefined : item.user;
	return toHref(toPath("/datastore/:scope/:name", { scope, name: item.name }), { user });
}

export function toScopeName(scope: string): ScopeName {
	return scope.replace("svckv.", "") === "user" ? "user" : "system";
}

/** Whether whoever looks may do this with an item; without a name: with any. One's own items need no permission. */
export function mayDo(verb: "view" | "set" | "delete", scope: ScopeName, name?: string): boolean {
	return scope === "user" || session.may(`key_value_pair_${verb}`, name === undefined ? undefined : `key_value_pair:svckv.system:${name}`);
}

/** Whether whoever looks may see a secret in clear. */
export function mayDecrypt(scope: ScopeName): boolean {
	return scope === "user" || session.may("admin");
}
