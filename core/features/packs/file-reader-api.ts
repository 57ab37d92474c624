import type { DialectKind, JsonObject, ParameterSchema } from "../../contract/index.ts";
import type { Place } from "./pack-files-api.ts";

/** A pack whose files are read where they are written. */
export interface ReadingPlace extends Place {
	/** Absolute path of the pack. */
	readonly directory: string;
	/** Parameters of each runner type that there is, and what it says of entry points. */
	readonly runnerTypes: ReadonlyMap<string, ReadRunnerType>;
}

export interface ReadRunnerType {
	readonly parameters: ParameterSchema;
	readonly entryPoint: "required" | "forbidden" | "optional";
}

/** How the files in one folder of a pack are read, for whoever tells what is wrong with them. */
export interface FileReader {
	/** What a file describes. */
	readonly kind: DialectKind;
	/** Folder of the pack that the files lie in. */
	readonly folder: string;
	/** Attribute that must be unique among the files. Default `name`. */
	readonly nameIn?: string;
	/** Names of files there that are something else, and why. */
	readonly others?: Readonly<Record<string, string>>;
	/** Takes what the service takes: throws `SVC_INVALID`, naming attribute and what is allowed, for the first thing that is wrong. */
	read(metadata: JsonObject, place: ReadingPlace): unknown;
	/** What may stand for required attributes that are wrong, so that the others can be looked at; by path, with dots. */
	readonly standIns: JsonObject;
}
