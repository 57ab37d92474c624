import { readFileSync, writeFileSync } from "node:fs";
import { routes } from "../dist/core/features/routes.js";
import { toDocument } from "../dist/core/http/openapi/document.js";

// The part of the build that describes the HTTP API, for programs that make clients of it: `svc-automation/openapi.json`.
const { version } = JSON.parse(readFileSync("package.json", "utf8"));

writeFileSync("dist/openapi.json", `${JSON.stringify(toDocument(routes, version), undefined, "\t")}\n`);
