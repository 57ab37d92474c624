import { toFileSchema } from "../definition/file-schema.ts";
import { casesShape } from "./read-cases.ts";

/** What files of cases may say, as a JSON schema for editors: what they are checked by. */
export const workflowCasesSchema = toFileSchema("Cases of a workflow", casesShape);
