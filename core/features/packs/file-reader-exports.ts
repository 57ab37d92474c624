import type { DialectKind, JsonObject, ParameterDefinitions, Storage } from "../../contract/index.ts";
import type { Place } from "./pack-files-exports.ts";
import type { PackTest } from "./pack-tests-exports.ts";

/** Location of a metadata file that is checked in the directory where the author edits the pack. */
export interface ReadingPlace extends Place {
	/** Absolute path of the pack directory. */
	readonly directory: string;
	/** Parameters of each registered runner type, and its rule for entry points. */
	readonly runnerTypes: ReadonlyMap<string, ReadRunnerType>;
}

/** A runner type, as the checks of pack files need it. */
export interface ReadRunnerType {
	readonly parameters: ParameterDefinitions;
	readonly entryPoint: "required" | "forbidden" | "optional";
}

/** A pack where its author edits it. */
export interface PackSource {
	readonly ref: string;
	/** Absolute path. */
	readonly directory: string;
	/** Paths of all files, relative to the pack. */
	readonly files: readonly string[];
}

/** Reads the metadata files in one folder of a pack, so that their problems can be reported. */
export interface FileReader {
	/** Kind of record that a file describes. */
	readonly kind: DialectKind;
	/** Folder of the pack that contains the files. */
	readonly folder: string;
	/** Attribute that must be unique among the files. Default `name`. */
	readonly nameIn?: string;
	/** Names of files in the folder that are not metadata files, each with the reason, which a note shows to the author. */
	readonly others?: Readonly<Record<string, string>>;
	/**
	 * Reads a file with the same checks as a registration. Throws `SVC_INVALID` for the first problem, with the attribute and the allowed
	 * values.
	 */
	read(metadata: JsonObject, place: ReadingPlace): unknown;
	/** True if the field `action_ref` of the records contains the ref of an action that must exist. Default: false. */
	readonly namesAction?: boolean;
	/**
	 * Returns the test cases that a pack contains for records of this kind. Default: there are none.
	 *
	 * @param storage storage in which the pack is registered
	 */
	findTests?(pack: PackSource, storage: Storage): Promise<readonly PackTest[]>;
	/** Valid values that replace missing or wrong required attributes, so that the others can be checked. The keys are dotted paths. */
	readonly standIns: JsonObject;
}
