// A worker as it is shipped: the built command, told to stop when its standard input ends.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../dist/plugins/_shipped/main.js", import.meta.url));
const child = spawn(process.execPath, [main, ...JSON.parse(process.argv[2])], { stdio: ["ignore", "inherit", "inherit"] });
child.on("exit", (code) => process.exit(code ?? 1));
process.stdout.write("{}\n");
process.stdin.resume().on("end", () => child.kill("SIGTERM"));
