import { mkdirSync, writeFileSync } from "node:fs";
import { fileSchemas } from "../dist/core/features/files.js";
import { workflowFileSchema } from "../dist/plugins-runner/workflow/definition/file-schema.js";

// The part of the build that tells editors what the files of packs may say: `dist/schemas/action.json` and so on.
mkdirSync("dist/schemas", { recursive: true });
for (const { name, schema } of [...fileSchemas, { name: "workflow", schema: workflowFileSchema }])
	writeFileSync(`dist/schemas/${name}.json`, `${JSON.stringify(schema, undefined, "\t")}\n`);
