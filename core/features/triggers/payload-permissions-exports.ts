import { isJsonObject, type JsonObject, type JsonValue, type TriggerInstanceEntity } from "../../contract/index.ts";
import type { PermissionType } from "../../kernel/basics/permission-types.ts";
import { type Resource, toActionResource } from "../../kernel/basics/refs.ts";
import { itemTriggerTypeRefs } from "../datastore/item-trigger-types-exports.ts";
import { triggerRefs } from "./trigger-type-refs-exports.ts";

/** A permission and the resource that it is required on. */
export type RequiredPermission = readonly [permission: PermissionType, resource: Resource];

const completions: ReadonlySet<string> = new Set([triggerRefs.action, triggerRefs.notify]);
const itemEvents: ReadonlySet<string> = new Set(Object.values(itemTriggerTypeRefs));

/**
 * Returns the permissions needed to view the records that a payload describes: an execution's result, or values of datastore items.
 * Without them, a caller could read such a record through its event. Returns none for events that describe only themselves.
 */
export function toRequiredPermissions({ trigger_type: type, payload: given }: TriggerInstanceEntity): readonly RequiredPermission[] {
	const payload: JsonObject = given ?? {};
	if (completions.has(type)) return [["execution_view", toActionResource(toText(payload["action_ref"]))]];
	if (!itemEvents.has(type)) return [];
	const items = [payload["object"], payload["old_object"], payload["new_object"]].filter((item) => item !== undefined);
	return items.map((item) => ["key_value_pair_view", toItemResource(item)]);
}

/**
 * Returns the resource of an item in a payload. The owner that the payload names can be trusted, because events of the service's own types
 * come from the service, or from users who may send any event.
 */
function toItemResource(item: JsonValue): Resource {
	const { uid, user } = isJsonObject(item) ? item : {};
	return { uid: toText(uid), ...(typeof user === "string" && { owner: user }) };
}

/** Returns an empty string for a value that is not a string, because no grant matches an empty string. */
function toText(value: JsonValue | undefined): string {
	return typeof value === "string" ? value : "";
}
