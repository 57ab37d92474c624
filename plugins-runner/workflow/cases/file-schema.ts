import { toFileSchema } from "../definition/file-schema.ts";
import { casesShape } from "./read-cases.ts";

/** JSON schema of files of cases, for editors; the same shape is used to check them. */
export const workflowCasesSchema = toFileSchema("Cases of a workflow", casesShape);
