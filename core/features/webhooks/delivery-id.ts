import { isJsonObject, type JsonValue } from "../../contract/index.ts";
import type { DeduplicationSettings, HookParameters, SignatureScheme } from "./hook-parameters-api.ts";

/** Where each kind of sender puts the id that it repeats when it sends again. */
const places: { readonly [S in SignatureScheme]?: Pick<DeduplicationSettings, "header" | "body"> } = {
	standard: { header: "webhook-id" },
	github: { header: "x-github-delivery" },
	gitlab: { header: "x-gitlab-event-uuid" },
	slack: { body: "event_id" },
	stripe: { body: "id" },
};

/** Id that the sender gave a delivery; undefined when there is none where the hook looks for it. */
export function findDeliveryId(
	{ deduplicate, signature }: HookParameters,
	headers: Readonly<Record<string, string>>,
	body: JsonValue,
): string | undefined {
	if (deduplicate === undefined) return undefined;
	const { header, body: path } =
		deduplicate.header === undefined && deduplicate.body === undefined
			? (places[signature?.scheme ?? "hmac"] ?? { header: "idempotency-key" })
			: deduplicate;
	const value = header !== undefined ? headers[header.toLowerCase()] : readMember(body, path ?? "");
	if (typeof value === "number" || typeof value === "bigint") return String(value);
	return typeof value === "string" && value !== "" ? value : undefined;
}

function readMember(body: JsonValue, path: string): JsonValue | undefined {
	let value: JsonValue | undefined = body;
	for (const name of path.split(".")) {
		if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
		value = value[name];
	}
	return value;
}
