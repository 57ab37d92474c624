import { isDeepStrictEqual } from "node:util";
import type { Storage } from "../../contract/index.ts";
import type { RegisteredTypeInput, TriggerTypes } from "./triggers-api.ts";

/** Values of a trigger type for the attributes that its file leaves out. */
const noSchemas = { description: "", payload_schema: {}, parameters_schema: {}, tags: [] };

/** Creates a trigger type, or updates it if its definition differs. An identical type is not written, so that a restart changes nothing. */
export async function registerType(storage: Storage, types: TriggerTypes, input: RegisteredTypeInput): Promise<void> {
	const { metadata_file = null, ...said } = input;
	const ref = `${input.pack}.${input.name}`;
	const [known] = await storage.find("trigger_type", { where: { ref }, limit: 1 });
	if (known === undefined) await types.create(said, metadata_file);
	else if (!isDeepStrictEqual({ ...known, ...noSchemas, ...said, metadata_file }, known)) await types.update(ref, said, metadata_file);
}
