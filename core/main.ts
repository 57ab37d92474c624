#!/usr/bin/env node
import { runCli } from "./cli/run-cli.ts";
import { serve } from "./serve.ts";

process.exitCode = await runCli(process.argv.slice(2), {
	serve: ({ config }) => serve({ config, env: process.env, print: (line) => void process.stdout.write(`${line}\n`) }),
});
