import { isDeepStrictEqual } from "node:util";
import type { Storage } from "../../contract/index.ts";
import type { TriggerTypeInput, TriggerTypes } from "./triggers-api.ts";

/** What a type has of which its file says nothing. */
const noSchemas = { description: "", payload_schema: {}, parameters_schema: {}, tags: [] };

/** Make a trigger type, or make it say what it should. One that does so already is left alone, so that a start changes nothing. */
export async function registerType(storage: Storage, types: TriggerTypes, input: TriggerTypeInput): Promise<void> {
	const ref = `${input.pack}.${input.name}`;
	const [known] = await storage.find("trigger_type", { where: { ref }, limit: 1 });
	if (known === undefined) await types.create(input);
	else if (!isDeepStrictEqual({ ...known, ...noSchemas, ...input }, known)) await types.update(ref, input);
}
