import { isDeepStrictEqual } from "node:util";
import type { Storage } from "../../contract/index.ts";
import type { RegisteredTypeInput, TriggerTypes } from "./triggers-api.ts";

/** What a type has of which its file says nothing. */
const noSchemas = { description: "", payload_schema: {}, parameters_schema: {}, tags: [] };

/** Make a trigger type, or make it say what it should. One that does so already is left alone, so that a start changes nothing. */
export async function registerType(storage: Storage, types: TriggerTypes, input: RegisteredTypeInput): Promise<void> {
	const { metadata_file = null, ...said } = input;
	const ref = `${input.pack}.${input.name}`;
	const [known] = await storage.find("trigger_type", { where: { ref }, limit: 1 });
	if (known === undefined) await types.create(said, metadata_file);
	else if (!isDeepStrictEqual({ ...known, ...noSchemas, ...said, metadata_file }, known)) await types.update(ref, said, metadata_file);
}
