import { escapeControlCharacters } from "../../contract/control-characters.ts";
import type { AliasRecord } from "../../features/clients.ts";

/** What is shown of a format, as its help has it. */
export function toDisplay(format: AliasRecord["formats"][number]): string {
	return escapeControlCharacters(typeof format === "string" ? format : format.display);
}
