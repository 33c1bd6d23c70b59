'use strict';
// Must be loaded before n8n-core: when n8n is loaded, it reads its settings from the environment, and writes a settings
// file with an encryption key into its user folder. This must be a folder of the tests.
const { mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');

// Set by globalSetup, which also removes the folder. It exists before the workers start, because they must not write
// the same file at once.
const folder = process.env.TEST_TEMP_FOLDER ?? tmpdir();
process.env.N8N_USER_FOLDER = mkdtempSync(path.join(folder, 'n8n-'));
process.env.N8N_ENCRYPTION_KEY = 'encryption key of the tests';
process.env.N8N_DIAGNOSTICS_ENABLED = 'false';
process.env.N8N_LOG_LEVEL = 'silent';
// Packages and tests have different Promises, and Express would say so in each process.
process.env.NO_DEPRECATION = 'router';
