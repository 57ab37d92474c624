import { assertRefNames } from "../../kernel/basics/names.ts";
import type { FileReader } from "../packs/file-reader-exports.ts";
import { toTriggerTypeInput } from "./trigger-type-file.ts";
import { toFields } from "./trigger-types.ts";

export const triggerFileReaders: readonly FileReader[] = [
	{
		kind: "trigger_type",
		folder: "triggers",
		standIns: { name: "any_name" },
		read(metadata, place) {
			const input = toTriggerTypeInput(metadata, place);
			assertRefNames(input);
			return toFields(input, { ...input, metadata_file: place.file });
		},
	},
];
