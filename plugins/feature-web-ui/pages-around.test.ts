// test-timeout: 600
// test-suite: full
import { test } from "uvu";
import "./pages/behind-a-proxy.test-support.ts";
import "./pages/keyboard.test-support.ts";
import "./pages/single-sign-on.test-support.ts";
import { closeBrowser } from "../../core/testing/web/web.test-support.ts";

// One browser serves all of these: its start takes longer than most tests.
test.after(closeBrowser);

test.run();
