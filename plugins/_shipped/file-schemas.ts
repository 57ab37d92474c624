import { coreFileSchemas } from "../../core/features/file-schemas.ts";
import type { FileSchema } from "../../core/language/file-schema.ts";
import { aliasFileSchemas } from "../feature-aliases/pack-files.ts";

/** JSON schemas for the files of packs, used by editors. The package contains them in `dist/schemas`. */
export const fileSchemas: readonly FileSchema[] = [...coreFileSchemas, ...aliasFileSchemas];
