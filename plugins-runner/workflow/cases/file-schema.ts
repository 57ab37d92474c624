import { toFileSchema } from "../definition/file-schema.ts";
import { casesShape } from "./read-cases.ts";

/** JSON schema of files of cases, for editors; cases are validated against the same shape. */
export const workflowCasesSchema = toFileSchema("Cases of a workflow", casesShape);
