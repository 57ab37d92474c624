import { mkdirSync, writeFileSync } from "node:fs";
import { fileSchemas } from "../dist/core/features/files.js";
import { chainFileSchema } from "../dist/plugins-runner/action-chain/definition/file-schema.js";
import { workflowCasesSchema } from "../dist/plugins-runner/workflow/cases/file-schema.js";
import { workflowFileSchema } from "../dist/plugins-runner/workflow/definition/file-schema.js";

// The part of the build that tells editors what the files of packs may say: `dist/schemas/action.json` and so on.
mkdirSync("dist/schemas", { recursive: true });
const ofRunners = { workflow: workflowFileSchema, "workflow-cases": workflowCasesSchema, chain: chainFileSchema };
for (const { name, schema } of [...fileSchemas, ...Object.entries(ofRunners).map(([name, schema]) => ({ name, schema }))])
	writeFileSync(`dist/schemas/${name}.json`, `${JSON.stringify(schema, undefined, "\t")}\n`);
